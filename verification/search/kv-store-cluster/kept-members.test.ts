import { test } from 'vitest';
import { expectNoViolation } from '../engine/pinned.ts';
import { baked } from './baked-scenario.ts';
import { paused } from './paused-scenario.ts';
import { scaledAndAborted } from './scenarios.ts';

const orphaned = (write: number) =>
  ({ fault: 'user', at: { when: 'after', write }, action: 'delete the StatefulSet, and leave its pods' }) as const;

// Found by the search: the spec asks for fewer members than there were when the StatefulSet was lost. One that was ahead was given to a StatefulSet without room for it, which took it
// down past the Job and the gates of a reduction.
test('a member that is ahead has room in its StatefulSet before it leaves for good', async () => {
  await expectNoViolation(paused, { seed: 664165035, faults: [orphaned(33)] });
  await expectNoViolation(scaledAndAborted, { seed: 1102712234, faults: [orphaned(24)] });
}, 100_000);

// Found by the search: the StatefulSet was deleted while the member was on its way to it.
test('a member whose StatefulSet is deleted while it is given back is controlled by its cluster again', async () => {
  await expectNoViolation(baked, {
    seed: 77102253,
    faults: [{ fault: 'crash', at: { when: 'before', write: 4 } }, orphaned(27)],
  });
}, 100_000);

// Found by the search: a view of the past showed no claim of a member that was ahead, which was not taken for one of the cluster's own.
test('a member that is ahead is known by its claim, also where the operator is shown the claims of before', async () => {
  const past = { fault: 'timeTravel', kind: 'persistentvolumeclaims', backMs: 10_000, forMs: 20_000 } as const;
  await expectNoViolation(scaledAndAborted, {
    seed: 1_021_028_370,
    faults: [{ ...past, at: { when: 'after', write: 11 } }, orphaned(24)],
  });
}, 100_000);
