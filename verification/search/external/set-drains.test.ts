import { test } from 'vitest';
import { pinnedIn } from './pinned.ts';
import { runSetHistory } from './set-history.ts';
import { setScenarios } from './set-scenarios.ts';

const survives = pinnedIn(setScenarios, runSetHistory);

test('a member that is evicted within the second in which its node is given up may be reported as bypassed', async () => {
  const name = 'upgraded while other clients drain its nodes and one of them fails, deleted';
  await survives(name, {
    profile: 'honest',
    faults: [
      { kind: 'external', number: 71, when: 'after', effect: 'crash' },
      { kind: 'external', number: 128, when: 'before', effect: 'hang' },
    ],
    seed: 1631778011,
  });
});

// The user's deletion of a pod by its UID, asked for once more after a restore, met a pod that had been replaced since, and was tried for ten minutes.
test('a user who asks once more after a restore takes a pod of another UID for gone', async () => {
  await survives('upgraded while other clients drain its nodes and one of them fails, deleted', {
    profile: 'tardy',
    faults: [
      { kind: 'external', number: 150, when: 'after', effect: 'lose' },
      { kind: 'write', number: 45, when: 'after', effect: 'restore' },
    ],
    seed: 1605859324,
  });
});
