import { durationOf, hashOf } from '@ordinal/constructs';
import type { GateJobs } from '@ordinal/lifecycle';
import { askedAtAnnotation } from './annotations.ts';

/** What a kind knows of the Jobs of its gates. */
type KnownJobs = Pick<GateJobs, 'now' | 'present' | 'pods' | 'metadata'>;

/** The Jobs of an object's gates, which are made in every kind in the same way. */
export const gateJobsFrom = (known: KnownJobs): GateJobs => ({
  ...{ ...known, durationOf, hashOf },
  ...{ askedAtAnnotation, environmentPrefix: 'ORDINAL' },
});
