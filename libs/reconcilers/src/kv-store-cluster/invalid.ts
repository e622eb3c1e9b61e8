import { kvStoreClusters } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { Decision } from '../decision/index.ts';
import { withFindings } from '../decision/index.ts';
import type { Observation } from './observation.ts';
import type { SpecProblem } from './validate.ts';

/**
 * What is done with a spec that can't be carried out: it is said what is wrong, and everything stays as it is until the spec changes. There is nothing to
 * retry.
 */
export function decideInvalid({ cluster }: Observation, problems: readonly SpecProblem[], now: Instant): Decision {
  const message = problems.map(({ field, message: text }) => `${field}: ${text}`).join('; ');
  const known = cluster.status?.conditions?.some(
    ({ type, reason, message: told }) => type === 'Ready' && reason === 'InvalidSpec' && told === message,
  );
  const findings = [
    { type: 'Ready', status: 'False', reason: 'InvalidSpec', message },
    { type: 'Progressing', status: 'False', reason: 'InvalidSpec', message },
  ] as const;
  const generation = cluster.metadata.generation;
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
    events: known ? [] : [{ type: 'Warning', reason: 'InvalidSpec', note: message }],
  };
}
