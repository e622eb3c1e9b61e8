import { sameJson } from '@ordinal/client';
import { isObject } from '../object.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { required, tooLong, unsupported, wrong } from './causes.ts';
import { completionCauses, failurePolicyCauses, replacementCauses, successPolicyCauses } from './job-policies.ts';
import { metadataOf } from './metadata-rules.ts';
import type { Draft } from './model.ts';
import { label, subdomain } from './names.ts';
import { podSpecCauses, templateWarnings } from './pod.ts';
import type { KindRules } from './rules.ts';
import { part, specOf } from './spec.ts';
import { nonNegative } from './workloads.ts';

/** A Job selects its pods by its own uid, unless the author says that he does it himself. */
function withJobSelector(object: Draft): Draft {
  const spec = specOf(object);
  if (spec['manualSelector'] === true) return object;
  const { uid, name } = metadataOf(object);
  const template = part(spec, 'template');
  const metadata = part(template, 'metadata');
  const labels = {
    ...part(metadata, 'labels'),
    'batch.kubernetes.io/job-name': name,
    'batch.kubernetes.io/controller-uid': uid,
    'job-name': name,
    'controller-uid': uid,
  };
  const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
  return { ...object, spec: { ...spec, selector, template: { ...template, metadata: { ...metadata, labels } } } };
}

const jobCauses = (object: Draft): readonly FieldCause[] => [
  ...jobSpecCauses(specOf(object)),
  ...hostNameCauses(object, specOf(object)),
];

/** What is wrong with the spec of a Job, or of those that a CronJob makes. Fields are named as those of a Job. */
export function jobSpecCauses(spec: JsonObject): readonly FieldCause[] {
  const pod = specOf(part(spec, 'template'));
  return [
    ...nonNegative(
      spec,
      'parallelism',
      'completions',
      'activeDeadlineSeconds',
      'backoffLimit',
      'ttlSecondsAfterFinished',
      'backoffLimitPerIndex',
      'maxFailedIndexes',
    ),
    ...('maxFailedIndexes' in spec && !('backoffLimitPerIndex' in spec)
      ? [required('spec.backoffLimitPerIndex', 'when maxFailedIndexes is specified')]
      : []),
    ...managerCauses(spec['managedBy']),
    ...completionCauses(spec),
    ...(isObject(spec['podFailurePolicy']) ? failurePolicyCauses(spec, spec['podFailurePolicy']) : []),
    ...(isObject(spec['successPolicy']) ? successPolicyCauses(spec, spec['successPolicy']) : []),
    ...replacementCauses(spec),
    ...podSpecCauses(pod, 'spec.template.spec'),
    ...restartCauses(pod['restartPolicy'], isObject(spec['podFailurePolicy'])),
  ];
}

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** Who manages the Job is a path below a domain. */
function managerCauses(manager: unknown): readonly FieldCause[] {
  if (typeof manager !== 'string') return [];
  const field = 'spec.managedBy';
  const slash = manager.indexOf('/');
  const [host, path] = [manager.slice(0, slash), manager.slice(slash + 1)];
  const length = tooLong(field, manager, 63);
  if (manager === '') return [required(field), ...length];
  if (slash <= 0 || path === '')
    return [wrong(field, manager, 'must be a domain-prefixed path (such as "acme.io/foo")'), ...length];
  return [
    ...subdomain(host).map((message) => wrong(field, host, message)),
    ...(new RegExp(`^${pathPattern}$`).test(path)
      ? []
      : [wrong(field, path, `Invalid path (regex used for validation is '${pathPattern}')`)]),
    ...length,
  ];
}

const restartPolicyField = 'spec.template.spec.restartPolicy';

function restartCauses(policy: unknown, hasFailurePolicy: boolean): readonly FieldCause[] {
  if (policy === 'Never') return [];
  if (policy === 'OnFailure')
    return hasFailurePolicy
      ? [wrong(restartPolicyField, policy, 'only "Never" is supported when podFailurePolicy is specified')]
      : [];
  return policy === undefined || policy === 'Always'
    ? [required(restartPolicyField, 'valid values: "OnFailure", "Never"')]
    : [unsupported(restartPolicyField, policy, ['OnFailure', 'Never'])];
}

/** The pods of the last index must get a host name. */
function hostNameCauses(object: Draft, spec: JsonObject): readonly FieldCause[] {
  const completions = Number(spec['completions'] ?? 0);
  if (spec['completionMode'] !== 'Indexed' || completions <= 0) return [];
  const { name } = metadataOf(object);
  const longest = `${String(name)}-${completions - 1}`;
  return label(longest).length === 0
    ? []
    : [wrong('metadata.name', name, `will not able to create pod with invalid DNS label: ${longest}`)];
}

const immutable = [
  'completions',
  'selector',
  'template',
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
];

function jobChangeCauses(object: Draft, old: StoredObject): readonly FieldCause[] {
  const spec = specOf(object);
  const before = specOf(old as unknown as JsonObject);
  return immutable
    .filter((field) => !sameJson(spec[field], before[field]))
    .flatMap((field) =>
      field === 'completions' && spec['completionMode'] === 'Indexed'
        ? scalingCauses(spec)
        : [wrong(`spec.${field}`, spec[field] ?? null, 'field is immutable')],
    );
}

/** A Job with indexes gets more or fewer of them together with its pods. */
const scalingCauses = ({ completions, parallelism }: JsonObject): readonly FieldCause[] =>
  completions === undefined || completions === parallelism
    ? []
    : [wrong('spec.completions', completions, 'can only be modified in tandem with spec.parallelism')];

/** What is particular to Jobs. */
export const jobRules: KindRules = {
  generation: true,
  warn: (object) => templateWarnings(part(specOf(object), 'template'), 'spec.template'),
  nameRule: subdomain,
  create: withJobSelector,
  // A Job without labels takes those of its template; the generated ones are not there yet when a new one is read.
  defaultedWhenRead: ({ metadata }) => Object.keys((metadata as JsonObject | undefined)?.['labels'] ?? {}).length === 0,
  validate: jobCauses,
  validateUpdate: jobChangeCauses,
};
