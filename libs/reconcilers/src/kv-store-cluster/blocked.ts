import type { KVStoreClusterStatus } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { withFindings } from '@ordinal/client';
import type { Blocked, Decision, ManagedError, ValidationError } from '@ordinal/lifecycle';
import { earliest, manageError, validationText } from '@ordinal/lifecycle';
import { isPaused, pausedAnnotation } from '../annotations.ts';
import { markData } from './held-data.ts';
import type { Lateness } from './lateness.ts';
import { latenessOf } from './lateness.ts';
import type { Observation } from './observation.ts';
import { pausedUpgrade } from './pause.ts';
import { failedNow } from './status.ts';

/** Why a cluster is left as it is. */
export type ClusterBlocked = Blocked<'InvalidSpec' | 'NameTaken' | 'Paused'>;

/** Why nothing can, or may, be done with a cluster; undefined where there is no such reason. */
export function blockedOf(
  { cluster, taken }: Observation,
  errors: readonly ValidationError[],
): ClusterBlocked | undefined {
  if (isPaused(cluster)) {
    return { reason: 'Paused', message: `paused by the annotation ${pausedAnnotation}` };
  }
  if (errors.length > 0) return { reason: 'InvalidSpec', message: validationText(errors) };
  if (taken === undefined) return undefined;
  return {
    reason: 'NameTaken',
    message: `${taken} exists and does not belong to this KVStoreCluster: delete it, or give the KVStoreCluster another name`,
  };
}

/**
 * What is done with a cluster that is blocked: the reason is reported, and nothing else is touched; that there may be data is marked all the same. A problem is
 * reported as seed 004 has it, in an event and in the status, and looked at again ever more rarely: it may end without a change of the cluster, and the event has
 * to be emitted again. The deadline of an upgrade that is under way counts on beside it (I19). A pause is no problem, says nothing about whether the members
 * serve, and has no deadline: a user wants it (I20).
 */
export function decideBlocked(seen: Observation, { reason, message }: ClusterBlocked, now: Instant): Decision {
  const { cluster } = seen;
  const { generation } = cluster.metadata;
  const progressing = { type: 'Progressing', status: 'False', reason, message } as const;
  const problem = reason === 'Paused' ? undefined : problemIn(cluster, { reason, message }, now);
  const findings = problem
    ? [{ ...progressing, type: 'Ready' }, progressing, { ...progressing, type: 'Degraded', status: 'True' as const }]
    : [progressing];
  const { processingError: _past, ...status } = cluster.status ?? {};
  const late = problem ? latenessOf(seen, now) : undefined;
  const upgrade = problem ? undefined : pausedUpgrade(seen, message, now);
  const lookAgainAt = earliest(problem?.lookAgainAt, late?.lookAgainAt);
  return {
    actions: markData(seen),
    status: {
      descriptor: kvStoreClusters,
      object: cluster,
      status: {
        ...status,
        ...(late ? lateStatus(late, now) : {}),
        ...(upgrade ? { upgrade } : {}),
        // A paused one says nothing of a spec that was not looked at.
        ...(problem ? { observedGeneration: generation ?? 0, processingError: problem.status } : {}),
        ...(problem ? { phase: 'Failed' } : {}),
        conditions: withFindings(cluster.status?.conditions, findings, { now, generation }),
      },
    },
    ...(lookAgainAt === undefined ? {} : { lookAgainAt }),
    events: [...(late?.events ?? []), ...(problem ? [problem.event] : [])],
  };
}

/** What the deadline changes of the status. */
function lateStatus({ record, toRevision, failed }: Lateness, now: Instant): KVStoreClusterStatus {
  return {
    ...(record ? { upgrade: record } : {}),
    ...(failed ? failedNow(toRevision, failed, now) : {}),
  };
}

function problemIn({ status }: Observation['cluster'], { reason, message }: Blocked, now: Instant): ManagedError {
  // Nothing of ours changes when another client deletes the object that has the name.
  const retry = reason === 'NameTaken' ? 'backoff' : 'terminal';
  return manageError({ reason, message, retry }, status?.processingError, now);
}
