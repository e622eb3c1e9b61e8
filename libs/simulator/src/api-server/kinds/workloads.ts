import { sameJson } from '@ordinal/client';
import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { structuredSelector } from '../store/selectors.ts';
import { refused, required, wrong } from './causes.ts';
import type { Draft } from './model.ts';
import { metadataOf } from './metadata-rules.ts';
import { label, subdomain } from './names.ts';
import { templateCauses, templateWarnings } from './pod.ts';
import type { KindRules } from './rules.ts';
import { items, part, specOf, without } from './spec.ts';

/** Fields of a spec that may not be below 0. */
export const nonNegative = (spec: JsonObject, ...fields: readonly string[]): readonly FieldCause[] =>
  fields.flatMap((field) =>
    Number(spec[field] ?? 0) < 0 ? [wrong(`spec.${field}`, spec[field], 'must be greater than or equal to 0')] : [],
  );

/** What is wrong with a selector, or with labels of a template that it does not fit. */
export function selectorCauses(spec: JsonObject, kind: string): readonly FieldCause[] {
  const selector = spec['selector'];
  if (!isObject(selector)) return [required('spec.selector')];
  if (Object.keys(part(selector, 'matchLabels')).length + items(selector['matchExpressions']).length === 0)
    return [wrong('spec.selector', selector, `empty selector is invalid for ${kind}`)];
  const labels = part(part(part(spec, 'template'), 'metadata'), 'labels') as Record<string, string>;
  return structuredSelector(selector)(labels)
    ? []
    : [wrong('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

function statefulSetCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  const policy = String(spec['podManagementPolicy']);
  const strategy = part(spec, 'updateStrategy');
  return [
    ...(policy === 'OrderedReady' || policy === 'Parallel'
      ? []
      : [wrong('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")]),
    ...strategyCauses(strategy),
    ...nonNegative(spec, 'replicas', 'minReadySeconds'),
    ...serviceNameCauses(String(spec['serviceName'] ?? '')),
    ...selectorCauses(spec, 'statefulset'),
    ...templateCauses(withClaimVolumes(spec), 'spec.template'),
  ];
}

/** Pods get names below it: it is the name of a host. */
function serviceNameCauses(name: string): readonly FieldCause[] {
  const field = 'spec.serviceName';
  if (name === '') return [];
  if (name.includes('.')) return [wrong(field, name, 'must not contain dots')];
  return label(name).map((message) => wrong(field, name, message));
}

function strategyCauses(strategy: JsonObject): readonly FieldCause[] {
  const rolling = strategy['rollingUpdate'];
  switch (strategy['type']) {
    case 'OnDelete':
      return isObject(rolling)
        ? [
            wrong(
              'spec.updateStrategy.rollingUpdate',
              { Partition: rolling['partition'] ?? 0, MaxUnavailable: null },
              "only allowed for updateStrategy 'RollingUpdate'",
            ),
          ]
        : [];
    case 'RollingUpdate':
      return isObject(rolling) && Number(rolling['partition'] ?? 0) < 0
        ? [
            wrong(
              'spec.updateStrategy.rollingUpdate.partition',
              rolling['partition'],
              'must be greater than or equal to 0',
            ),
          ]
        : [];
    default:
      return [wrong('spec.updateStrategy', strategy, "must be 'RollingUpdate' or 'OnDelete'")];
  }
}

/** Claims of a StatefulSet are volumes of its pods. */
function withClaimVolumes(spec: JsonObject): JsonObject {
  const template = part(spec, 'template');
  const claims = items(spec['volumeClaimTemplates']).map((claim) => ({ name: metadataOf(claim)['name'] }));
  if (claims.length === 0) return template;
  const podSpec = specOf(template);
  return { ...template, spec: { ...podSpec, volumes: [...items(podSpec['volumes']), ...claims] } };
}

const mutable = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
];

const withoutAll = (object: JsonObject, fields: readonly string[]): JsonObject => without(object, ...fields);

/** What is particular to StatefulSets. */
export const statefulSetRules: KindRules = {
  generation: true,
  warn: (object) => templateWarnings(part(specOf(object), 'template'), 'spec.template'),
  nameRule: label,
  create: (object) => dropMaxUnavailable(object),
  update: (object, old) =>
    isObject(part(part(specOf(old as unknown as JsonObject), 'updateStrategy'), 'rollingUpdate')['maxUnavailable'])
      ? object
      : dropMaxUnavailable(object),
  validate: statefulSetCauses,
  validateUpdate: (object, old) =>
    sameJson(withoutAll(specOf(object), mutable), withoutAll(specOf(old as unknown as JsonObject), mutable))
      ? []
      : [
          refused(
            'spec',
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
          ),
        ],
};

/** The field of a feature that is off unless it is turned on. */
function dropMaxUnavailable(object: Draft): Draft {
  const spec = specOf(object);
  const strategy = part(spec, 'updateStrategy');
  const rolling = strategy['rollingUpdate'];
  if (!isObject(rolling) || !('maxUnavailable' in rolling)) return object;
  return {
    ...object,
    spec: { ...spec, updateStrategy: { ...strategy, rollingUpdate: without(rolling, 'maxUnavailable') } },
  };
}

/** The selector of a kind that keeps it for good. */
export const selectorUpdate: NonNullable<KindRules['validateUpdate']> = (object, old) => {
  const selector = specOf(object)['selector'];
  return sameJson(selector, specOf(old as unknown as JsonObject)['selector'])
    ? []
    : [wrong('spec.selector', selector ?? null, 'field is immutable')];
};

function deploymentCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  return [
    ...nonNegative(spec, 'replicas'),
    ...selectorCauses(spec, 'deployment'),
    ...templateCauses(part(spec, 'template'), 'spec.template'),
  ];
}

/** What is particular to Deployments. */
export const deploymentRules: KindRules = {
  generationOfAnnotations: true,
  generation: true,
  warn: (object) => templateWarnings(part(specOf(object), 'template'), 'spec.template'),
  nameRule: subdomain,
  statusResets: [['f:metadata', 'f:labels']],
  validate: deploymentCauses,
  validateUpdate: selectorUpdate,
};

function replicaSetCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  return [
    ...nonNegative(spec, 'replicas'),
    ...selectorCauses(spec, 'replicaset'),
    ...templateCauses(part(spec, 'template'), 'spec.template'),
  ];
}

/** What is particular to ReplicaSets. */
export const replicaSetRules: KindRules = {
  generation: true,
  warn: (object) => templateWarnings(part(specOf(object), 'template'), 'spec.template'),
  nameRule: subdomain,
  validate: replicaSetCauses,
  validateUpdate: selectorUpdate,
};

function replicationControllerCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  const selector = part(spec, 'selector');
  const isSelecting = Object.keys(selector).length > 0;
  const template = spec['template'];
  const labels = part(part(part(spec, 'template'), 'metadata'), 'labels') as Record<string, string>;
  return [
    ...nonNegative(spec, 'minReadySeconds'),
    ...(isSelecting ? [] : [required('spec.selector')]),
    ...nonNegative(spec, 'replicas'),
    ...(isObject(template)
      ? [
          ...(isSelecting && !structuredSelector({ matchLabels: selector as Record<string, string> })(labels)
            ? [wrong('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')]
            : []),
          ...templateCauses(template, 'spec.template'),
          ...(specOf(template)['activeDeadlineSeconds'] === undefined
            ? []
            : [
                refused(
                  'spec.template.spec.activeDeadlineSeconds',
                  'activeDeadlineSeconds in ReplicationController is not Supported',
                ),
              ]),
        ]
      : [required('spec.template')]),
  ];
}

/** What is particular to ReplicationControllers. */
export const replicationControllerRules: KindRules = {
  generation: true,
  warn: (object) => templateWarnings(part(specOf(object), 'template'), 'spec.template'),
  nameRule: subdomain,
  validate: replicationControllerCauses,
};
