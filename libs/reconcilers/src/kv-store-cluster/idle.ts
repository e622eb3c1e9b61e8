import { kvStoreClusters } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { Decision } from '../decision/index.ts';
import { isPaused, pausedAnnotation, withFindings } from '../decision/index.ts';
import type { Observation } from './observation.ts';

/** How often a name that is taken is looked at again, in milliseconds. */
const lookAgainMs = 60_000;

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
 * What is done with a cluster that is left as it is: it is said why, and nothing else is touched. The trouble is told as an event once; what takes it away,
 * a change of the spec, of an annotation or of the other object, wakes us.
 */
export function decideIdle({ cluster }: Observation, { reason, message }: Idleness, now: Instant): Decision {
  const told = cluster.status?.conditions?.some(
    (condition) => condition.type === 'Progressing' && condition.reason === reason && condition.message === message,
  );
  const progressing = { type: 'Progressing', status: 'False', reason, message } as const;
  // A pause says nothing about whether the members serve.
  const findings = reason === 'Paused' ? [progressing] : [{ ...progressing, type: 'Ready' }, progressing];
  const { generation } = cluster.metadata;
  return {
    actions: [],
    status: {
      descriptor: kvStoreClusters,
      object: cluster,
      status: {
        ...cluster.status,
        observedGeneration: generation ?? 0,
        conditions: withFindings(cluster.status?.conditions, findings, { now, generation }),
      },
    },
    // Nothing of ours changes when somebody deletes the other object.
    ...(reason === 'NameTaken' ? { lookAgainAt: now + lookAgainMs } : {}),
    events: told || reason === 'Paused' ? [] : [{ type: 'Warning', reason, note: message }],
  };
}
