import type { KVStoreCluster, KVStoreClusterStatus } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { KubernetesObject } from '@ordinal/client';
import { controllerOf } from '@ordinal/client';
import { drillOfLabel, kvStoreScratch, scratchName, sealAnnotation } from '@ordinal/constructs';
import type { Action, Delete, Sealer } from '@ordinal/lifecycle';
import { identityOf, seenOf } from '@ordinal/lifecycle';
import type { Observation } from '../observation.ts';
import { toBuild } from '../observation.ts';
import { recordOf } from '../records.ts';
import type { DrillRecord } from './records.ts';

/** Whether a cluster is the scratch cluster of a drill, by what anyone may have written: such a one has no drills of its own. */
export const isScratch = (cluster: KVStoreCluster): boolean =>
  cluster.metadata.labels?.[drillOfLabel] !== undefined || controllerOf(cluster)?.kind === kvStoreClusters.kind;

const sealedName = (name: string) => ({ purpose: 'drill', item: { name } }) as const;

/** Whether the operator has made it for a drill of this cluster. A name, a label or an owner reference may be written by others, and proves nothing. */
function isMade({ metadata: { name, annotations } }: KVStoreCluster, sealer: Sealer): boolean {
  return sealer.holds(sealedName(name), annotations?.[sealAnnotation]);
}

/** What stands where the scratch cluster of a drill should be. */
export type ScratchState =
  | { readonly state: 'Missing' }
  /** It has the operator's own seal, which others can copy, and no UID is recorded: the operator has gone when it had made it, or another client has put it there since. */
  | { readonly state: 'Unrecorded'; readonly cluster: KVStoreCluster }
  /** It belongs to another client, or was put in the place of the one that was made. */
  | { readonly state: 'Taken' }
  | { readonly state: 'Ours'; readonly cluster: KVStoreCluster; readonly isTrusted: boolean };

/** Finds the scratch cluster of a drill by its UID, which is recorded as soon as it is made: nothing else shows which one the operator has made. */
export function scratchOf({ scratches, sealer }: Observation, record: DrillRecord): ScratchState {
  const found = scratches.find(({ cluster }) => cluster.metadata.name === record.cluster);
  if (!found) return { state: 'Missing' };
  if (record.clusterUID === undefined)
    return isMade(found.cluster, sealer) ? { state: 'Unrecorded', cluster: found.cluster } : { state: 'Taken' };
  return found.cluster.metadata.uid === record.clusterUID ? { state: 'Ours', ...found } : { state: 'Taken' };
}

/** The status with the UID of the scratch cluster that was made for the drill which is under way. */
export function withScratch(
  { status = {} }: KVStoreCluster,
  { metadata: { name, uid } }: KubernetesObject,
): KVStoreClusterStatus {
  const drills = status.drills?.map((drill) =>
    drill.finishedAt === undefined && drill.cluster === name && drill.clusterUID === undefined
      ? { ...drill, clusterUID: uid }
      : drill,
  );
  return drills === undefined ? status : { ...status, drills };
}

/** What is known of the backup that a drill restores: it may not be the newest any more. */
function backupOf({ status }: KVStoreCluster, { backup: name = '' }: DrillRecord) {
  const known = [status?.lastBackup, ...(status?.backups ?? [])].find((backup) => backup?.name === name);
  const location = known?.location ?? '';
  return { name, ...(location === '' ? {} : { location }) };
}

/** The name of the scratch cluster of a drill that begins. */
export const nameOfScratch = ({ cluster }: Observation, drill: Pick<DrillRecord, 'name' | 'startedAt'>): string =>
  scratchName(toBuild(cluster), drill);

/** Makes the scratch cluster of a drill. Whatever has its name already is left alone: the API server refuses a second one. */
export function createScratch({ cluster, sealer }: Observation, record: DrillRecord): Action {
  const { version } = cluster.spec;
  const name = record.cluster ?? '';
  const backup = backupOf(cluster, record);
  return {
    kind: 'create',
    descriptor: kvStoreClusters,
    object: kvStoreScratch(toBuild(cluster), {
      name,
      version: cluster.status?.currentVersion ?? version,
      backup,
      seal: sealer.sign(sealedName(name)),
      ...(cluster.metadata.labels === undefined ? {} : { labels: cluster.metadata.labels }),
    }),
    neededBy: 'nothing',
    because: `the backup ${backup.name} is restored into it, to see whether it can be`,
  };
}

const deletion = (cluster: KVStoreCluster, because: string): Delete => ({
  kind: 'delete',
  descriptor: kvStoreClusters,
  target: identityOf(cluster),
  neededBy: 'nothing',
  because,
});

const isGoing = ({ metadata }: KVStoreCluster): boolean => metadata.deletionTimestamp !== undefined;

/** Deletes the scratch cluster, if it is not being deleted yet. */
export const deleteScratch = (cluster: KVStoreCluster): readonly Action[] =>
  isGoing(cluster) ? [] : [deletion(cluster, 'its restore drill has ended')];

/**
 * Deletes the scratch cluster whose UID was not recorded, so that it is made again. Only while the cluster is what this decision has seen of it: an operator beside this one
 * may have recorded the UID since.
 */
export const deleteUnrecorded = ({ cluster }: Observation, scratch: KVStoreCluster): readonly Action[] =>
  isGoing(scratch)
    ? []
    : [
        {
          ...deletion(scratch, 'it is not known which client has made it'),
          onlyWhile: { descriptor: kvStoreClusters, target: seenOf(cluster) },
        },
      ];

/**
 * Deletes the scratch clusters of this cluster that no open drill has: the request that made one may have come after its drill was given up, or what the status said was not
 * believed. Only those that bear the operator's own seal.
 */
export function deleteLeftovers({ scratches, sealer }: Observation, open: DrillRecord | undefined): readonly Action[] {
  return scratches
    .map(({ cluster }) => cluster)
    .filter((cluster) => cluster.metadata.name !== open?.cluster && isMade(cluster, sealer) && !isGoing(cluster))
    .map((cluster) => deletion(cluster, 'no restore drill that is under way has made it'));
}

/** Why a scratch cluster can't be what the drill has asked for any more; undefined where it may. */
export function spoiledBy({ metadata, spec }: KVStoreCluster, record: DrillRecord): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'another client has deleted it';
  // The operator never changes its spec, and the API server counts each change.
  if ((metadata.generation ?? 1) !== 1 || spec.restoreFrom?.backup !== record.backup)
    return 'another client has changed its spec';
  return undefined;
}

/** How much of what a scratch cluster says is shown, in characters: anyone who may write its status writes its conditions, and a condition of the cluster has to have room for it. */
const saidLength = 512;

/** What a scratch cluster says of how far it is; undefined where it says nothing. */
export const saidBy = (cluster: KVStoreCluster): string | undefined =>
  conditionIn(cluster, 'Progressing')?.message.slice(0, saidLength);

const conditionIn = ({ status }: KVStoreCluster, type: string) =>
  status?.conditions?.find((condition) => condition.type === type);

/**
 * How far a scratch cluster is: it can be checked, it never will be, or why it can't be checked yet. A name that is taken may be that of a child of the scratch cluster before it, which is still to be
 * collected. The drill waits for that, and fails at its deadline where it lasts.
 */
export function progressOfScratch(
  cluster: KVStoreCluster,
  isTrusted: boolean,
): { readonly state: 'Ready' | 'Failed' | 'Waiting'; readonly message: string } {
  const waiting = saidBy(cluster) ?? 'it has no status yet';
  if (!isTrusted) return { state: 'Waiting', message: waiting };
  const { phase, observedGeneration } = cluster.status ?? {};
  if (phase === 'Failed') {
    const { reason = 'Failed', message = waiting } = conditionIn(cluster, 'Degraded') ?? {};
    const state = reason === 'NameTaken' ? 'Waiting' : 'Failed';
    return { state, message: `${reason}: ${message}`.slice(0, saidLength) };
  }
  const isRestored = recordOf(cluster.status, 'Restore')?.result === 'Succeeded';
  const isReady = phase === 'Ready' && observedGeneration === cluster.metadata.generation && isRestored;
  return { state: isReady ? 'Ready' : 'Waiting', message: waiting };
}
