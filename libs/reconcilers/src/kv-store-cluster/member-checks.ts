import type { KVStoreCluster, KVStoreClusterSpec, KVStoreClusterSpecBackupJob } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { childMetadata, durationOf, kvStoreChild, kvStoreContainer } from '@ordinal/constructs';
import type { GateJobs, MemberChecks, RolloutPolicy, SpecUpgrade, UpgradeSteps } from '@ordinal/lifecycle';
import { asksFirst, policyOf, stepsOf } from '@ordinal/lifecycle';
import { gateJobsFrom } from '../gate-jobs.ts';
import type { Observation } from './observation.ts';
import { membersOf, toBuild } from './observation.ts';

/** How the members of a cluster are asked. Without gates in the spec, none is asked before it goes. */
export function checksOf(spec: KVStoreClusterSpec): MemberChecks {
  const { upgrade, canary, port } = spec;
  return {
    upgrade: { ...upgrade, ...(canary && { canary }) } as SpecUpgrade,
    port,
    container: kvStoreContainer(spec),
    defaultGates: [],
    durationOf,
  };
}

/** What the rules of an upgrade take from the spec of a cluster. */
export const upgradePolicy = ({ spec }: Pick<KVStoreCluster, 'spec'>): RolloutPolicy =>
  policyOf(checksOf(spec), spec.replicas);

/** What the spec of a cluster says that an upgrade does beside replacing members. With another strategy no member is a canary. */
export function upgradeSteps({ spec }: Pick<KVStoreCluster, 'spec'>): UpgradeSteps<KVStoreClusterSpecBackupJob> {
  const { onFailure, beforeFirstPod } = spec.upgrade ?? {};
  const canary = spec.upgradeStrategy === 'Canary' ? (spec.canary ?? {}) : undefined;
  return stepsOf<KVStoreClusterSpecBackupJob>(
    { onFailure, beforeFirstPod, canary },
    { onFailure: 'Rollback', durationOf },
  );
}

/** Whether anything is asked before a member goes down. Without that, the StatefulSet's own order is enough. */
export function isGated(cluster: Pick<KVStoreCluster, 'spec'>): boolean {
  return asksFirst(upgradePolicy(cluster));
}

/** The Jobs of a cluster's gates: each goes with the cluster. */
export function gateJobsOf(seen: Observation, now: Instant): GateJobs {
  const { cluster, gateJobs: present } = seen;
  const pods = membersOf(seen).flatMap(({ uid }) => seen.pods.find(({ metadata }) => metadata.uid === uid) ?? []);
  const child = kvStoreChild(toBuild(cluster));
  const metadata = (name: string) => childMetadata({ ...child, name });
  return gateJobsFrom({ now, present, pods, metadata });
}
