import type { ClusteredCache, CloudDatabase, KVStoreCluster, MonitoredStatefulSet } from '@ordinal/api';
import type { Condition } from '@ordinal/client';
import { conditionOf, instantOf, timestamp } from '@ordinal/client';
import { durationOf } from '@ordinal/constructs';
import type { Progress } from '@ordinal/lifecycle';
import { deadlineOf, defaultDeadlineMs } from '@ordinal/lifecycle';
import type { OrdinalResource } from '../kinds.ts';

/** An upgrade that is under way, or has failed. */
interface UpgradeFacts {
  readonly step: string;
  readonly pod?: string | undefined;
  readonly podUID?: string | undefined;
  /** Since when it has been at this step. */
  readonly since?: string | undefined;
  readonly startedAt?: string | undefined;
  /** When it fails, unless something moves before. */
  readonly deadline?: string | undefined;
  /** How many members run what is wanted. */
  readonly updated: number;
  readonly blockedBy?: string | undefined;
  /** The command that opens what holds it. */
  readonly release?: string | undefined;
  /** Names the upgrade, for promote and abort. */
  readonly revision?: string | undefined;
  /** Members that are down or about to go, where there may be several. */
  readonly members?:
    readonly { readonly pod: string; readonly step: string; readonly blockedBy?: string }[] | undefined;
}

/** Something outside of the cluster. */
export interface ExternalFacts {
  readonly what: string;
  readonly id?: string | undefined;
  readonly at?: string | undefined;
}

/** A backup that is on record. */
interface BackupFacts {
  readonly name: string;
  /** `Succeeded` or `Failed`; while it is made, neither. */
  readonly result?: string | undefined;
  readonly at?: string | undefined;
  readonly location?: string | undefined;
}

/** What the spec and the status of a resource say, in one shape for the four kinds. */
export interface Facts {
  readonly phase: string;
  readonly replicas?: number | undefined;
  readonly ready?: number | undefined;
  readonly version?: string | undefined;
  readonly target?: string | undefined;
  readonly upgrade?: UpgradeFacts | undefined;
  readonly failure?: { readonly reason: string; readonly message: string; readonly at?: string } | undefined;
  readonly processingError?: { readonly reason: string; readonly message: string; readonly since: string } | undefined;
  readonly conditions: readonly Condition[];
  readonly external: readonly ExternalFacts[];
  /** The newest first. */
  readonly backups?: readonly BackupFacts[] | undefined;
}

type WithUpgrade = Exclude<OrdinalResource, { readonly kind: 'CloudDatabase' }>;

function upgradeOf(resource: WithUpgrade): UpgradeFacts | undefined {
  const { upgrade } = resource.status ?? {};
  if (upgrade?.step === undefined) return undefined;
  const { step, pod, podUID, since, startedAt, updated = 0, blockedBy, release } = upgrade;
  const shared = { step, pod, podUID, since, startedAt, updated, blockedBy, release };
  if ('revision' in upgrade)
    return { ...shared, revision: upgrade.revision, deadline: upgrade.deadline, members: upgrade.members };
  return { ...shared, revision: 'toRevision' in upgrade ? upgrade.toRevision : undefined };
}

/** When the upgrade of a store fails: its status has no deadline, and what it follows from. */
function storeDeadline({ spec, status }: KVStoreCluster): string | undefined {
  const { step, toRevision: revision = '', startedAt, lastProgressAt, updated = 0 } = status?.upgrade ?? {};
  const [begun, moved] = [instantOf(startedAt), instantOf(lastProgressAt)];
  if (step === undefined || begun === undefined || moved === undefined) return undefined;
  const deadline = deadlineOf({
    // A step as the rules of a rollout call it.
    progress: { revision, updated, step: step as Progress['step'], startedAt: begun, lastProgressAt: moved },
    deadlineMs: durationOf(spec.upgrade?.progressDeadline, defaultDeadlineMs),
  });
  return deadline === undefined ? undefined : timestamp(deadline);
}

const reasonOf = (conditions: readonly Condition[] | undefined, type: string): string =>
  conditionOf(conditions, type)?.reason ?? '';

const tagOf = (image: string | undefined): string | undefined => image?.replace(/^.*\/(?=[^/]+$)/, '');

const conditionsOf = ({ status }: OrdinalResource): readonly Condition[] => status?.conditions ?? [];

function cacheFacts(cache: ClusteredCache): Facts {
  const { spec, status = {} } = cache;
  const conditions = conditionsOf(cache);
  return {
    ...{ phase: reasonOf(conditions, 'Available'), conditions, external: [], upgrade: upgradeOf(cache) },
    ...{ replicas: spec.replicas, ready: status.readyReplicas },
    ...{ version: tagOf(status.currentVersion), target: tagOf(status.targetVersion) },
    ...{ failure: status.failure, processingError: status.processingError },
  };
}

function storeFacts(store: KVStoreCluster): Facts {
  const { spec, status = {} } = store;
  const upgrade = upgradeOf(store);
  const backups = (status.backups ?? []).map(({ name, result, location, finishedAt, startedAt }) => ({
    ...{ name, result, location },
    at: finishedAt ?? startedAt,
  }));
  return {
    backups,
    ...{ phase: status.phase ?? '', conditions: conditionsOf(store), external: [] },
    upgrade: upgrade && { ...upgrade, deadline: storeDeadline(store) },
    ...{ replicas: spec.replicas, ready: status.readyReplicas },
    ...{ version: status.currentVersion, target: status.targetVersion },
    ...{ failure: status.failure, processingError: status.processingError },
  };
}

function setFacts(set: MonitoredStatefulSet): Facts {
  const { spec, status = {} } = set;
  const external = (status.registrations ?? []).map(({ endpoint, id }) => ({ what: 'registration', id, at: endpoint }));
  return {
    ...{ phase: status.phase ?? '', conditions: conditionsOf(set), external, upgrade: upgradeOf(set) },
    ...{ replicas: spec.statefulSetSpec.replicas, ready: status.readyReplicas },
    ...{ version: tagOf(status.currentVersion), target: tagOf(status.targetVersion), failure: status.failure },
  };
}

function databaseFacts(database: CloudDatabase): Facts {
  const { external: remembered, instanceId, endpoint, phase = '' } = database.status ?? {};
  const id = instanceId ?? remembered?.id;
  const outside = { what: `${database.spec.engine} database`, id, at: endpoint ?? remembered?.account };
  const isKnown = remembered !== undefined || id !== undefined;
  return { phase, conditions: conditionsOf(database), external: isKnown ? [outside] : [] };
}

/** What a resource says of itself. Pure. */
export function factsOf(resource: OrdinalResource): Facts {
  switch (resource.kind) {
    case 'ClusteredCache':
      return cacheFacts(resource);
    case 'KVStoreCluster':
      return storeFacts(resource);
    case 'MonitoredStatefulSet':
      return setFacts(resource);
    case 'CloudDatabase':
      return databaseFacts(resource);
  }
}
