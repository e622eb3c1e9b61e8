import type { Traits } from '@ordinal/lifecycle';

/** Of a PostgreSQL server: a database's name follows from the token, and it is seen as soon as it is there. */
export const postgresTraits = (callTimeoutMs: number): Traits => ({
  repeatedCreate: 'returnsFirst',
  settleMs: 1_000,
  callTimeoutMs,
});
