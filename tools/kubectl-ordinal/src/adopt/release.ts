import type { StatefulSet } from '@ordinal/client';
import type { Surroundings } from '../cluster/surroundings.ts';
import { factsOf } from '../status/facts.ts';
import type { Refusal } from '../verbs/intent.ts';
import { refuse } from '../verbs/intent.ts';

/** How a StatefulSet is given back to those who made it. */
export interface Release {
  readonly set: StatefulSet;
  /** How its own controller replaces pods from then on, as a merge patch. */
  readonly updateStrategy: object;
}

/** What Kubernetes does where nothing else is asked for. */
const defaultType = 'RollingUpdate';

/**
 * How the StatefulSet of a resource is given back with its pods running, or why that would do harm. Pure.
 *
 * Its own controller replaces each pod that is not of the newest revision, at once and without gates: so all of them have to be.
 */
export function releaseOf(around: Surroundings): Release | Refusal {
  const { resource, set } = around;
  if (resource.kind === 'CloudDatabase') return refuse('a CloudDatabase has no StatefulSet');
  if (resource.kind === 'KVStoreCluster' && resource.spec.adopt === undefined)
    return refuse(
      'a KVStoreCluster without spec.adopt makes its StatefulSet itself, and its deletion keeps or deletes the volumes as the spec says',
    );
  if (resource.metadata.deletionTimestamp !== undefined) return refuse('it is being deleted already');
  if (!set) return refuse('it has no StatefulSet');
  const { upgrade } = factsOf(resource);
  if (upgrade !== undefined && upgrade.step !== 'Failed')
    return refuse(`an upgrade is under way, at step ${upgrade.step}: wait for its end, or abort it`);
  const replaced = replacedAtOnce(set);
  if (replaced !== undefined) return refuse(replaced);
  const given = resource.kind === 'MonitoredStatefulSet' ? resource.spec.statefulSetSpec.updateStrategy : undefined;
  const { type = defaultType, rollingUpdate = null } = given ?? {};
  return { set, updateStrategy: { type, rollingUpdate } };
}

/** Why pods would be replaced if the StatefulSet's own controller did that; undefined where none would be. Pure. */
export function replacedAtOnce({ spec: { replicas = 1 }, status, metadata }: StatefulSet): string | undefined {
  const { updatedReplicas = 0, observedGeneration } = status ?? {};
  if (observedGeneration === metadata.generation && updatedReplicas >= replicas) return undefined;
  return `only ${updatedReplicas} of ${replicas} pods are as the StatefulSet's template says, and its own controller would replace the others at once: finish the upgrade, or go back, first`;
}
