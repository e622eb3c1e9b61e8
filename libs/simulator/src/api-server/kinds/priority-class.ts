import type { FieldCause } from '../status.ts';
import { refused, wrong } from './causes.ts';
import { metadataOf } from './metadata-rules.ts';
import type { Draft } from './model.ts';
import { subdomain } from './names.ts';
import type { KindRules } from './rules.ts';

/** The classes of pods that every cluster begins with. */
export const systemClasses = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
] as const;

const systemPriority = (className: string): number | undefined =>
  systemClasses.find(({ name }) => name === className)?.value;

/** So much a class of a cluster's own may have at most. */
const highestPriority = 1_000_000_000;

function priorityCauses(object: Draft): readonly FieldCause[] {
  const name = String(metadataOf(object)['name'] ?? '');
  const value = Number(object['value'] ?? 0);
  if (!name.startsWith('system-'))
    return value > highestPriority
      ? [refused('value', `maximum allowed value of a user defined priority is ${highestPriority}`)]
      : [];
  const known = systemPriority(name);
  const problem =
    known === undefined
      ? `${name} is not a known system priority class`
      : known !== value
        ? `value of ${name} PriorityClass must be ${known}`
        : object['globalDefault'] === true
          ? `globalDefault of ${name} PriorityClass must be false`
          : undefined;
  return problem === undefined
    ? []
    : [
        refused(
          'metadata.name',
          `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`,
        ),
      ];
}

/** What is particular to priority classes. */
export const priorityClassRules: KindRules = {
  nameRule: subdomain,
  // It never counts a change: nothing that a pod gets may be changed.
  create: (object) => ({ ...object, metadata: { ...metadataOf(object), generation: 1 } }),
  validate: priorityCauses,
  validateUpdate: (object, old) => [
    ...(Number(object['value'] ?? 0) === Number(old['value'] ?? 0)
      ? []
      : [refused('value', 'may not be changed in an update.')]),
    ...(object['preemptionPolicy'] === old['preemptionPolicy']
      ? []
      : [wrong('preemptionPolicy', object['preemptionPolicy'], 'field is immutable')]),
  ],
};
