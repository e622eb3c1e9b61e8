import { expect, onTestFinished, test, vi } from 'vitest';
import type { Fault } from '../external/fault.ts';
import { pinnedIn } from '../external/pinned.ts';
import { runSetHistory } from '../external/set-history.ts';
import { setScenarios } from '../external/set-scenarios.ts';
import { UnknownRestores } from '../external/unknown-restores.ts';

const survives = pinnedIn(setScenarios, runSetHistory);

const restored = (kind: Fault['kind'], number: number): Fault => ({ kind, number, when: 'after', effect: 'restore' });

/** The operator is started again so soon after a restore that its monitor does not show yet what was made before: it can't know of it. */
const restarted: readonly (readonly [name: string, faults: readonly Fault[], seed: number])[] = [
  [
    'created, registered, deleted, while a user forges the status',
    [restored('write', 5), { kind: 'write', number: 9, when: 'before', effect: 'crash' }],
    1746658847,
  ],
  [
    'forgotten by its monitor, registered again, retained',
    [restored('external', 2), { kind: 'write', number: 6, when: 'after', effect: 'crash' }],
    1083391679,
  ],
  [
    'moved to another monitor and back, deleted',
    [restored('write', 8), { kind: 'external', number: 11, when: 'before', effect: 'crash' }],
    1868033719,
  ],
];

test.each(restarted)(
  'a second entry of an operator that was started after a restore is shown to a person: %s',
  async (name, faults, seed) => {
    const explain = vi.spyOn(UnknownRestores.prototype, 'explain');
    onTestFinished(() => explain.mockRestore());
    await survives(name, { profile: 'shifty', faults, seed });
    // Where the calls have shifted, the faults strike at another moment, and nothing is made twice.
    expect(explain).toHaveReturnedWith(true);
  },
  60_000,
);

test('a set that is held up by another client comes to its end again when etcd is restored at it', async () => {
  await survives('deleted, and held up by another client', {
    profile: 'shifty',
    faults: [restored('write', 15)],
    seed: 2702,
  });
});

test('a clean-up Job goes again with its set when etcd is restored to a state that has both', async () => {
  await survives('deleted after a clean-up Job that fails at first', {
    profile: 'tardy',
    faults: [{ kind: 'write', number: 21, when: 'after', effect: 'crash' }, restored('write', 22)],
    seed: 988905971,
  });
});

test('an entry whose record a restored etcd has lost is asked for with its own token, not with that of another monitor', async () => {
  await survives('moved over fifteen monitors that are down to one that there is no room for, deleted', {
    profile: 'tardy',
    faults: [{ kind: 'external', number: 56, when: 'after', effect: 'clock' }, restored('external', 236)],
    seed: 1868787063,
  });
});

test('an entry at a monitor that two restores leave in the spec for less time than the operator needs to read it is lost', async () => {
  await survives('moved over fifteen monitors that are down to one that there is no room for, deleted', {
    profile: 'honest',
    faults: [restored('external', 127), restored('external', 195)],
    seed: 1309375380,
  });
});

test('an entry at a monitor that the spec names no more when a suspended operator goes on after a restore is lost', async () => {
  await survives('moved over fifteen monitors that are down to one that there is no room for, deleted', {
    profile: 'honest',
    faults: [restored('external', 48), { kind: 'write', number: 24, when: 'before', effect: 'pause' }],
    seed: 1624583624,
  });
});

test('a call that was on its way when etcd was restored rests on the records that are lost', async () => {
  await survives('moved to another URL of its monitor and back, deleted', {
    profile: 'tardy',
    faults: [restored('write', 7)],
    seed: 261441624,
  });
});

test('users ask once for what two restores have lost, in its order', async () => {
  await survives('moved over fifteen monitors that are down to one that there is no room for, deleted', {
    profile: 'honest',
    faults: [restored('external', 66), restored('external', 75)],
    seed: 1291162096,
  });
});

test('a StatefulSet that a restored etcd has lost is made again as the spec says by then', async () => {
  await survives('changed where it can not be, put right, deleted', {
    profile: 'honest',
    faults: [restored('external', 19), { kind: 'write', number: 11, when: 'before', effect: 'pause' }],
    seed: 365_140_970,
  });
});

test('an upgrade that fails goes back to what ran before the version that a restored etcd has lost', async () => {
  await survives('upgraded by the operator two at a time, to what never runs and back, deleted', {
    profile: 'honest',
    faults: [restored('write', 35), restored('write', 56)],
    seed: 2_012_718_878,
  });
});

test('a set that a restored etcd has without its finalizer is gone at once when a user deletes it, and no clean-up Job runs', async () => {
  await survives('deleted after a clean-up Job that fails at first', {
    profile: 'shifty',
    faults: [restored('write', 8), { kind: 'write', number: 9, when: 'before', effect: 'pause' }],
    seed: 1_521_446_067,
  });
});
