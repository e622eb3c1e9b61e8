import { sameJson } from '@ordinal/client';
import type { Draft } from './model.ts';
import { isObject } from '../object.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { duplicate, refused, required, unsupported, wrong } from './causes.ts';
import { containerResourceCauses } from './container-resources.ts';
import { labelCauses } from './metadata-rules.ts';
import { label, subdomain } from './names.ts';
import type { KindRules } from './rules.ts';
import { items, part, specOf } from './spec.ts';

/** How important a pod is to the node, by its requests and limits. */
export function qosClass(spec: JsonObject): string {
  const containers = [...items(spec['containers']), ...items(spec['initContainers'])].map((container) =>
    part(container, 'resources'),
  );
  const amounts = (resources: JsonObject, kind: string): JsonObject =>
    Object.fromEntries(
      Object.entries(part(resources, kind)).filter(
        ([name, value]) => (name === 'cpu' || name === 'memory') && value !== '0',
      ),
    );
  const any = containers.some((resources) =>
    ['requests', 'limits'].some((kind) => Object.keys(amounts(resources, kind)).length > 0),
  );
  if (!any) return 'BestEffort';
  const guaranteed = containers.every((resources) => {
    const limits = amounts(resources, 'limits');
    return 'cpu' in limits && 'memory' in limits && sameJson(amounts(resources, 'requests'), limits);
  });
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

const containerNames = (spec: JsonObject): readonly JsonObject[] => [
  ...items(spec['initContainers']),
  ...items(spec['containers']),
];

function containerCauses(container: JsonObject, field: string): readonly FieldCause[] {
  const name = typeof container['name'] === 'string' ? container['name'] : '';
  const image = typeof container['image'] === 'string' ? container['image'] : '';
  return [
    ...(name === ''
      ? [required(`${field}.name`)]
      : label(name).map((message) => wrong(`${field}.name`, name, message))),
    ...(image === '' ? [required(`${field}.image`)] : []),
    ...(['Always', 'Never', 'IfNotPresent'].includes(String(container['imagePullPolicy']))
      ? []
      : [unsupported(`${field}.imagePullPolicy`, container['imagePullPolicy'], ['Always', 'IfNotPresent', 'Never'])]),
    ...items(container['ports']).flatMap((port, index) => portCauses(port, `${field}.ports[${index}]`)),
    ...items(container['env']).flatMap((env, index) =>
      env['name'] === '' ? [required(`${field}.env[${index}].name`)] : [],
    ),
    ...containerResourceCauses(part(container, 'resources'), `${field}.resources`),
  ];
}

function portCauses(port: JsonObject, field: string): readonly FieldCause[] {
  const number = Number(port['containerPort']);
  if (number === 0) return [required(`${field}.containerPort`)];
  return number < 0 || number > 65535
    ? [wrong(`${field}.containerPort`, number, 'must be between 1 and 65535, inclusive')]
    : [];
}

const sysctlPattern = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const sysctlName = new RegExp(sysctlPattern);
const sysctlMessage = `must have at most 253 characters and match regex ${sysctlPattern}`;

function sysctlCauses(sysctls: readonly JsonObject[], field: string): readonly FieldCause[] {
  const names = sysctls.map(({ name = '' }) => String(name));
  return names.flatMap((name, index) => {
    const at = `${field}[${index}].name`;
    if (name === '') return [required(at)];
    if (name.length > 253 || !sysctlName.test(name)) return [wrong(at, name, sysctlMessage)];
    return names.indexOf(name) < index ? [duplicate(at, name)] : [];
  });
}

/** What is wrong with a pod's spec, at a path such as `spec.template.spec`. */
export function podSpecCauses(spec: JsonObject, field: string): readonly FieldCause[] {
  const containers = items(spec['containers']);
  const names = containerNames(spec).map((container) => String(container['name']));
  const volumes = new Set(items(spec['volumes']).map((volume) => String(volume['name'])));
  const repeated = items(spec['containers']).flatMap((container, index) =>
    container['name'] !== '' && names.indexOf(String(container['name'])) < index + items(spec['initContainers']).length
      ? [duplicate(`${field}.containers[${index}].name`, container['name'])]
      : [],
  );
  return [
    ...(containers.length === 0 ? [required(`${field}.containers`)] : []),
    ...['initContainers', 'containers'].flatMap((list) =>
      items(spec[list]).flatMap((container, index) => [
        ...containerCauses(container, `${field}.${list}[${index}]`),
        ...items(container['volumeMounts']).flatMap((mount, mountIndex) =>
          volumes.has(String(mount['name']))
            ? []
            : [
                {
                  reason: 'FieldValueNotFound',
                  message: `Not found: ${JSON.stringify(mount['name'])}`,
                  field: `${field}.${list}[${index}].volumeMounts[${mountIndex}].name`,
                },
              ],
        ),
      ]),
    ),
    ...repeated,
    ...sysctlCauses(items(part(spec, 'securityContext')['sysctls']), `${field}.securityContext.sysctls`),
    ...(['Always', 'OnFailure', 'Never'].includes(String(spec['restartPolicy']))
      ? []
      : [unsupported(`${field}.restartPolicy`, spec['restartPolicy'], ['Always', 'OnFailure', 'Never'])]),
  ];
}

/** What is wrong with a pod template at a path such as `spec.template`, of a kind whose pods always restart. */
export function templateCauses(template: JsonObject, field: string): readonly FieldCause[] {
  const spec = specOf(template);
  const policy = spec['restartPolicy'];
  return [
    ...labelCauses(part(template, 'metadata')['labels'], `${field}.labels`),
    ...podSpecCauses(spec, `${field}.spec`),
    ...(policy === 'Always' || !['OnFailure', 'Never'].includes(String(policy))
      ? []
      : [unsupported(`${field}.spec.restartPolicy`, policy, ['Always'])]),
  ];
}

/** Ports that two containers of a pod template, or one of them twice, claim. */
export function templateWarnings(template: JsonObject, field: string): readonly string[] {
  const seen = new Map<string, string>();
  return items(specOf(template)['containers']).flatMap((container, index) =>
    items(container['ports']).flatMap((port, portIndex) => {
      const place = `${field}.spec.containers[${index}].ports[${portIndex}]`;
      const key = JSON.stringify([port['containerPort'], port['protocol'], port['hostPort'], port['hostIP']]);
      const first = seen.get(key);
      if (first !== undefined) return [`${place}: duplicate port definition with ${first}`];
      seen.set(key, place);
      return [];
    }),
  );
}

const withImagesOf = (list: unknown, old: unknown): unknown =>
  items(list).map((container, index) => ({ ...container, image: items(old)[index]?.['image'] }));

const fixed =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function updateCauses(spec: JsonObject, old: JsonObject): readonly FieldCause[] {
  for (const list of ['containers', 'initContainers'])
    if (items(spec[list]).length !== items(old[list]).length)
      return [refused(`spec.${list}`, 'pod updates may not add or remove containers')];
  const munged = {
    ...spec,
    containers: withImagesOf(spec['containers'], old['containers']),
    ...(spec['initContainers'] !== undefined && {
      initContainers: withImagesOf(spec['initContainers'], old['initContainers']),
    }),
    activeDeadlineSeconds: old['activeDeadlineSeconds'],
    tolerations: old['tolerations'],
    schedulingGates: old['schedulingGates'],
  };
  return sameJson(munged, old) ? [] : [refused('spec', fixed)];
}

/** A spec with the tolerations that every pod has of nodes that fail. */
export function withDefaultTolerations(spec: JsonObject): JsonObject {
  const given = items(spec['tolerations']);
  const added = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
    .filter(
      (key) =>
        !given.some(
          (toleration) =>
            toleration['key'] === key && (toleration['effect'] === undefined || toleration['effect'] === 'NoExecute'),
        ),
    )
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  return added.length === 0 ? spec : { ...spec, tolerations: [...given, ...added] };
}

/** What admission gives every pod: its service account, its priority, its patience with nodes that fail. */
function admitted(spec: JsonObject): JsonObject {
  const account =
    typeof spec['serviceAccountName'] === 'string' && spec['serviceAccountName'] !== ''
      ? spec['serviceAccountName']
      : 'default';
  return withDefaultTolerations({
    ...spec,
    serviceAccountName: account,
    serviceAccount: account,
    priority: typeof spec['priority'] === 'number' ? spec['priority'] : 0,
    preemptionPolicy: spec['preemptionPolicy'] ?? 'PreemptLowerPriority',
  });
}

function newPod(pod: Draft): Draft {
  const spec = admitted(specOf(pod));
  const isGated = items(spec['schedulingGates']).length > 0;
  const status = { phase: 'Pending', qosClass: qosClass(spec), ...(isGated && { conditions: [gated(pod)] }) };
  return { ...pod, spec, status };
}

/** A pod that waits for its gates says so from the beginning. */
const gated = (pod: Draft): JsonObject => ({
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: part(pod, 'metadata')['creationTimestamp'],
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
});

/** A status that no longer says which generation it speaks of keeps what it said. */
function observed(pod: Draft, old: StoredObject): Draft {
  const status = part(pod, 'status');
  const before = isObject(old['status']) ? old['status'] : {};
  const conditions = items(status['conditions']);
  const known = items(before['conditions']);
  const loses = (next: JsonObject, previous: JsonObject | undefined): boolean =>
    (next['observedGeneration'] ?? 0) === 0 && (previous?.['observedGeneration'] ?? 0) !== 0;
  const formerOf = ({ type }: JsonObject): JsonObject | undefined =>
    known.find((condition) => condition['type'] === type);
  const losesAny = conditions.some((condition) => loses(condition, formerOf(condition)));
  if (!loses(status, before) && !losesAny) return pod;
  const kept = (next: JsonObject, previous: JsonObject | undefined): JsonObject =>
    loses(next, previous) ? { ...next, observedGeneration: previous?.['observedGeneration'] } : next;
  const next = kept(status, before);
  return {
    ...pod,
    status: losesAny
      ? { ...next, conditions: conditions.map((condition) => kept(condition, formerOf(condition))) }
      : next,
  };
}

/** Ephemeral containers come later, through a subresource of their own. */
const ephemeralCauses = (pod: Draft): readonly FieldCause[] =>
  part(pod, 'metadata')['resourceVersion'] === undefined && items(specOf(pod)['ephemeralContainers']).length > 0
    ? [refused('spec.ephemeralContainers', 'cannot be set on create')]
    : [];

/** What is particular to pods. */
export const podRules: KindRules = {
  generation: true,
  nameRule: subdomain,
  statusResets: [
    ['f:metadata', 'f:deletionTimestamp'],
    ['f:metadata', 'f:ownerReferences'],
  ],
  create: newPod,
  updateStatus: observed,
  validate: (pod) => [...podSpecCauses(specOf(pod), 'spec'), ...ephemeralCauses(pod)],
  validateUpdate: (pod, old) => updateCauses(specOf(pod), isObject(old['spec']) ? old['spec'] : {}),
};
