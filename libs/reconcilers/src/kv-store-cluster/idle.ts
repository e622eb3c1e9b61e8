import { kvStoreClusters } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { Decision } from '../decision/index.ts';
import { isPaused, pausedAnnotation, withFindings } from '../decision/index.ts';
import type { ManagedError } from '../error-management/index.ts';
import { manageError } from '../error-management/index.ts';
import type { Observation } from './observation.ts';

/** Why a cluster is left as it is. */
export interface Idleness {
  readonly reason: 'InvalidSpec' | 'NameTaken' | 'Paused';
  readonly message: string;
}

/** Why nothing can, or may, be done with a cluster; undefined where there is no such reason. */
export function idlenessOf(
  { cluster, taken }: Observation,
  problems: readonly { readonly field: string; readonly message: string }[],
): Idleness | undefined {
  if (isPaused(cluster)) {
    return { reason: 'Paused', message: `paused by the annotation ${pausedAnnotation}` };
  }
  if (problems.length > 0) {
    return { reason: 'InvalidSpec', message: problems.map(({ field, message }) => `${field}: ${message}`).join('; ') };
  }
  if (taken === undefined) return undefined;
  return {
    reason: 'NameTaken',
    message: `${taken} exists and does not belong to this KVStoreCluster: delete it, or give the KVStoreCluster another name`,
  };
}

/**
 * What is done with a cluster that is left as it is: it is said why, and nothing else is touched. Trouble is told as seed 004 has it, in an event once and
 * in the status, and looked at again ever more seldom where it may end without a change of the cluster. A pause is no trouble, and says nothing about
 * whether the members serve.
 */
export function decideIdle({ cluster }: Observation, { reason, message }: Idleness, now: Instant): Decision {
  const { generation } = cluster.metadata;
  const progressing = { type: 'Progressing', status: 'False', reason, message } as const;
  const trouble = reason === 'Paused' ? undefined : troubleOf(cluster, { reason, message }, now);
  const findings = trouble
    ? [{ ...progressing, type: 'Ready' }, progressing, { ...progressing, type: 'Degraded', status: 'True' as const }]
    : [progressing];
  const { processingError: _past, ...status } = cluster.status ?? {};
  return {
    actions: [],
    status: {
      descriptor: kvStoreClusters,
      object: cluster,
      status: {
        ...status,
        observedGeneration: generation ?? 0,
        ...(trouble ? { processingError: trouble.status } : {}),
        conditions: withFindings(cluster.status?.conditions, findings, { now, generation }),
      },
    },
    ...(trouble?.lookAgainAt === undefined ? {} : { lookAgainAt: trouble.lookAgainAt }),
    events: trouble && cluster.status?.processingError?.message !== message ? [trouble.event] : [],
  };
}

function troubleOf(
  { status }: Observation['cluster'],
  { reason, message }: Pick<Idleness, 'reason' | 'message'>,
  now: Instant,
): ManagedError {
  // Nothing of ours changes when somebody deletes the object that has the name.
  const retry = reason === 'NameTaken' ? 'backoff' : 'terminal';
  return manageError({ reason, message, retry }, status?.processingError, now);
}
