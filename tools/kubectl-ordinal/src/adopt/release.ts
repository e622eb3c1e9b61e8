import type { StatefulSet } from '@ordinal/client';
import type { Surroundings } from '../cluster/surroundings.ts';
import { factsOf } from '../status/facts.ts';
import type { Refusal } from '../verbs/intent.ts';
import { refuse } from '../verbs/intent.ts';

/** How a StatefulSet is given back to those who made it. */
export interface Release {
  readonly set: StatefulSet;
  /** How its own controller replaces pods from then on. */
  readonly updateStrategy: object;
}

/** What Kubernetes does where nothing else is asked for. */
const defaultStrategy = { type: 'RollingUpdate' };

/**
 * How the StatefulSet of a resource is given back with its pods running, or why that would do harm. Pure.
 *
 * Its own controller replaces each pod that is not of the newest revision, at once and without gates: so all of them have to be.
 */
export function releaseOf(around: Surroundings): Release | Refusal {
  const { resource, set } = around;
  if (resource.kind === 'CloudDatabase') return refuse('a CloudDatabase has no StatefulSet');
  if (resource.kind === 'KVStoreCluster')
    return refuse(
      'a KVStoreCluster makes its StatefulSet itself, and its deletion keeps or deletes the volumes as the spec says',
    );
  if (resource.metadata.deletionTimestamp !== undefined) return refuse('it is being deleted already');
  if (!set) return refuse('it has no StatefulSet');
  const { upgrade } = factsOf(resource);
  if (upgrade !== undefined && upgrade.step !== 'Failed')
    return refuse(`an upgrade is under way, at step ${upgrade.step}: wait for its end, or abort it`);
  const { replicas = 1 } = set.spec;
  const { updatedReplicas = 0, observedGeneration = 0 } = set.status ?? {};
  if (observedGeneration !== set.metadata.generation || updatedReplicas < replicas)
    return refuse(
      `only ${updatedReplicas} of ${replicas} pods are as the StatefulSet's template says, and its own controller would replace the others at once: finish the upgrade, or go back, first`,
    );
  const strategy = resource.kind === 'MonitoredStatefulSet' ? resource.spec.statefulSetSpec.updateStrategy : undefined;
  return { set, updateStrategy: strategy ?? defaultStrategy };
}
