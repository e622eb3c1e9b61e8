import { expect, onTestFinished, test, vi } from 'vitest';
import { runHistory } from './database-history.ts';
import { databaseScenarios } from './database-scenarios.ts';
import type { Fault } from './fault.ts';
import { forgedDatabases } from './forged-scenarios.ts';
import { LostOwners } from './lost-owners.ts';
import { pinnedIn } from './pinned.ts';

const survives = pinnedIn([...databaseScenarios, ...forgedDatabases], runHistory);

/** A provider that shows new databases late, and etcd restored to a state that does not know of one: the times at which a second one was made, or the first one left behind. */
const moments: readonly (readonly [scenario: string, fault: Fault])[] = [
  ['created, resized, deleted', { kind: 'write', number: 6, when: 'after', effect: 'restore' }],
  ['created, resized, deleted', { kind: 'external', number: 35, when: 'after', effect: 'restore' }],
  ['deleted 40 ms after its creation', { kind: 'external', number: 2, when: 'after', effect: 'restore' }],
];

test.each(moments)(
  'a restored etcd leads to no second database, and leaves none behind: %s',
  async (name, fault) => {
    await survives(name, { profile: 'shifty', faults: [fault], seed: 1 });
  },
  60_000,
);

test('a status that is written by a version which a restored etcd gives out again is followed by no call without a finalizer (S0.17)', async () => {
  const name = 'created, deleted, while a user forges the status';
  const faults: readonly Fault[] = [
    { kind: 'external', number: 1, when: 'after', effect: 'restore' },
    { kind: 'write', number: 4, when: 'before', effect: 'pause' },
  ];
  await survives(name, { profile: 'shifty', faults, seed: 321003455 });
});

test('a database that is held up by another client comes to its end again when etcd is restored at it', async () => {
  const name = 'deleted, and held up by another client';
  const faults: readonly Fault[] = [{ kind: 'write', number: 14, when: 'after', effect: 'restore' }];
  await survives(name, { profile: 'tardy', faults, seed: 2702 });
});

test('a second database of an operator that was started after a restore is shown to a person', async () => {
  const name = 'created, resized, deleted';
  // The provider does not show yet what was made before.
  const faults: readonly Fault[] = [
    { kind: 'write', number: 4, when: 'after', effect: 'restore' },
    { kind: 'write', number: 6, when: 'before', effect: 'crash' },
  ];
  await survives(name, { profile: 'shifty', faults, seed: 5 });
});

// Found by the search: the record of the import was lost, one look was answered by nothing, and a database that was being deleted was not looked for by its name once more.
test.each<readonly ['honest' | 'shifty', number, readonly Fault[]]>([
  [
    'shifty',
    92_018_589,
    [
      { kind: 'write', number: 6, when: 'after', effect: 'restore' },
      { kind: 'external', number: 4, when: 'before', effect: 'deny' },
    ],
  ],
  [
    'honest',
    22_763_117,
    [
      { kind: 'write', number: 6, when: 'after', effect: 'restore' },
      { kind: 'external', number: 4, when: 'before', effect: 'deny' },
    ],
  ],
])(
  'a database whose import a restored etcd does not know of is looked for by its name before the finalizer goes (%s)',
  async (profile, seed, faults) => {
    const name = 'imported late, deleted';
    await survives(name, { profile, faults, seed });
  },
  60_000,
);

// Found by the search: the older state has no finalizer, and the object is deleted while the operator is suspended. No client can keep it.
test.each<readonly [name: string, seed: number, faults: readonly Fault[]]>([
  [
    'deleted 40 ms after its creation',
    1_541_697_362,
    [
      { kind: 'external', number: 6, when: 'after', effect: 'restore' },
      { kind: 'write', number: 7, when: 'before', effect: 'pause' },
    ],
  ],
  [
    'deleted 1500 ms after its creation',
    555_451_229,
    [
      { kind: 'external', number: 5, when: 'before', effect: 'pause' },
      { kind: 'external', number: 5, when: 'after', effect: 'restore' },
    ],
  ],
])(
  'a database is lost whose object a restored etcd has without a finalizer, and that is deleted while the operator is suspended: %s',
  async (name, seed, faults) => {
    const has = vi.spyOn(LostOwners.prototype, 'has');
    onTestFinished(() => has.mockRestore());
    await survives(name, { profile: 'tardy', faults, seed });
    // Where the calls have shifted, the faults strike at another moment, and nothing is lost.
    expect(has).toHaveReturnedWith(true);
  },
  60_000,
);

test('a status that is merged into another one of the same version, which a restored etcd gives out again, is put right', async () => {
  const name = 'only watched, and gone outside';
  await survives(name, {
    profile: 'shifty',
    faults: [
      { kind: 'write', number: 4, when: 'after', effect: 'restore' },
      { kind: 'write', number: 5, when: 'before', effect: 'unavailable' },
    ],
    seed: 1_584_207_953,
  });
});

// Found by the search: the operator was started after the restore, and asked for a second database before the provider showed the first. That was refused, and the first was not looked for.
test('a database whose creation a restored etcd has lost is looked for where a second creation was refused', async () => {
  const name = 'refused by its provider from 100 ms after its creation, deleted 1.5 s later';
  await survives(name, {
    profile: 'tardy',
    faults: [
      { kind: 'external', number: 6, when: 'after', effect: 'restore' },
      { kind: 'external', number: 7, when: 'after', effect: 'crash' },
    ],
    seed: 1_024_632_426,
  });
});

test('a database that a restored etcd has from before it was held goes while its operator is suspended, also where the provider refuses deletions', async () => {
  const name = 'deleted at a provider that refuses deletions for two minutes';
  await survives(name, {
    profile: 'shifty',
    faults: [
      { kind: 'write', number: 9, when: 'after', effect: 'restore' },
      { kind: 'write', number: 10, when: 'before', effect: 'pause' },
    ],
    seed: 1_834_744_937,
  });
});
