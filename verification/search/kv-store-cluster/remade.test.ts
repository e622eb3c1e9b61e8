import { test } from 'vitest';
import { expectNoViolation } from '../engine/pinned.ts';
import { unsaid } from './forged-scenario.ts';
import { amidCanary } from './interrupted-scenarios.ts';
import { orphaned } from './mended-scenarios.ts';

// Found by the search: a StatefulSet that is made again has room for the members that are behind first, and then for as many as there were before a reduction whose Job has not succeeded.
test('a StatefulSet that is made again is as large as before a reduction whose Job has not succeeded', async () => {
  await expectNoViolation(amidCanary, {
    seed: 222781024,
    faults: [
      { fault: 'timeTravel', at: { when: 'after', write: 7 }, kind: 'jobs', backMs: 10_000, forMs: 20_000 },
      { fault: 'user', at: { when: 'after', write: 21 }, action: 'delete the StatefulSet, with its pods' },
    ],
  });
}, 100_000);

// Found by the search: the budget had been decided on two milliseconds before the cluster was deleted.
test('what is on its way when a cluster is deleted is made for it', async () => {
  await expectNoViolation(orphaned, {
    seed: 1554756587,
    faults: [
      { fault: 'permission', at: { when: 'before', write: 2 }, kind: 'poddisruptionbudgets', forMs: 120_000 },
      { fault: 'permission', at: { when: 'before', write: 11 }, kind: 'kvstoreclusters', forMs: 120_000 },
    ],
  });
}, 100_000);

// Found by the search: a status that was put back had lost that the backup succeeded, and no member was left for another one. The data stays until a user skips the backup.
test('a final backup that a forged status takes back, with no member left, waits for a user', async () => {
  await expectNoViolation(unsaid, {
    seed: 875025567,
    faults: [
      { fault: 'clock', at: { when: 'after', write: 23 }, byMs: 3_600_000 },
      { fault: 'user', at: { when: 'after', write: 26 }, action: 'write into the status what stood there before' },
    ],
  });
}, 100_000);
