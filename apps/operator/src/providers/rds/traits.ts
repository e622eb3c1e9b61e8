import type { Traits } from '@ordinal/lifecycle';

/** Of RDS: an instance's identifier follows from the token, and lists may lag behind. */
export const rdsTraits = (times: Pick<Traits, 'settleMs' | 'callTimeoutMs'>): Traits => ({
  repeatedCreate: 'returnsFirst',
  settleMs: times.settleMs,
  callTimeoutMs: times.callTimeoutMs,
});
