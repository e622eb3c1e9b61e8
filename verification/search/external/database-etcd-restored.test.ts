import { expect, onTestFinished, test, vi } from 'vitest';
import { runHistory } from './database-history.ts';
import { databaseScenarios } from './database-scenarios.ts';
import type { Fault } from './fault.ts';
import { faultName } from './fault.ts';
import { forgedDatabases } from './forged-scenarios.ts';
import { LostOwners } from './lost-owners.ts';

/** A provider that shows new databases late, and etcd restored to a state that does not know of one: the times at which a second one was made, or the first one left behind. */
const moments: readonly (readonly [scenario: string, fault: Fault])[] = [
  ['created, resized, deleted', { kind: 'write', number: 6, when: 'after', effect: 'restore' }],
  ['created, resized, deleted', { kind: 'external', number: 35, when: 'after', effect: 'restore' }],
  ['deleted 40 ms after its creation', { kind: 'external', number: 2, when: 'after', effect: 'restore' }],
];

test.each(moments)(
  'a restored etcd leads to no second database, and leaves none behind: %s',
  async (name, fault) => {
    const scenario = databaseScenarios.find((one) => one.name === name);
    if (scenario === undefined) throw new TypeError(`there is no scenario ${name}`);
    const { violations, fired, text } = await runHistory({ scenario, profile: 'shifty', faults: [fault], seed: 1 });
    expect(fired.map((one) => faultName(one.fault))).toEqual([faultName(fault)]);
    expect(violations, text()).toEqual([]);
  },
  60_000,
);

test('a status that is written by a version which a restored etcd gives out again is followed by no call without a finalizer (S0.17)', async () => {
  const scenario = forgedDatabases.find(({ name }) => name === 'created, deleted, while a user forges the status');
  if (scenario === undefined) throw new TypeError('the scenario of the forger has another name');
  const faults: readonly Fault[] = [
    { kind: 'write', number: 4, when: 'before', effect: 'pause' },
    { kind: 'external', number: 1, when: 'after', effect: 'restore' },
  ];
  const { violations, fired, text } = await runHistory({ scenario, profile: 'shifty', faults, seed: 321003455 });
  expect(fired).toHaveLength(2);
  expect(violations, text()).toEqual([]);
}, 60_000);

test('a database that is held up by another client comes to its end again when etcd is restored at it', async () => {
  const scenario = databaseScenarios.find(({ name }) => name === 'deleted, and held up by another client');
  if (scenario === undefined) throw new TypeError('the scenario of the other client has another name');
  const faults: readonly Fault[] = [{ kind: 'write', number: 14, when: 'after', effect: 'restore' }];
  const { violations, fired, text } = await runHistory({ scenario, profile: 'tardy', faults, seed: 2702 });
  expect(fired).toHaveLength(1);
  expect(violations, text()).toEqual([]);
}, 60_000);

test('a second database of an operator that was started after a restore is shown to a person', async () => {
  const scenario = databaseScenarios.find(({ name }) => name === 'created, resized, deleted');
  if (scenario === undefined) throw new TypeError('the scenario has another name');
  // The provider does not show yet what was made before.
  const faults: readonly Fault[] = [
    { kind: 'write', number: 4, when: 'after', effect: 'restore' },
    { kind: 'write', number: 6, when: 'before', effect: 'crash' },
  ];
  const { violations, fired, text } = await runHistory({ scenario, profile: 'shifty', faults, seed: 5 });
  expect(fired).toHaveLength(2);
  expect(violations, text()).toEqual([]);
}, 60_000);

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
      { kind: 'external', number: 4, when: 'before', effect: 'deny' },
      { kind: 'write', number: 6, when: 'after', effect: 'restore' },
    ],
  ],
])(
  'a database whose import a restored etcd does not know of is looked for by its name before the finalizer goes (%s)',
  async (profile, seed, faults) => {
    const scenario = databaseScenarios.find(({ name }) => name === 'imported late, deleted');
    if (scenario === undefined) throw new TypeError('the scenario of the import has another name');
    const { violations, fired, text } = await runHistory({ scenario, profile, faults, seed });
    expect(fired).toHaveLength(2);
    expect(violations, text()).toEqual([]);
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
      { kind: 'external', number: 5, when: 'after', effect: 'restore' },
      { kind: 'external', number: 5, when: 'before', effect: 'pause' },
    ],
  ],
])(
  'a database is lost whose object a restored etcd has without a finalizer, and that is deleted while the operator is suspended: %s',
  async (name, seed, faults) => {
    const scenario = databaseScenarios.find((one) => one.name === name);
    if (scenario === undefined) throw new TypeError(`there is no scenario ${name}`);
    const has = vi.spyOn(LostOwners.prototype, 'has');
    onTestFinished(() => has.mockRestore());
    const { violations, fired, text } = await runHistory({ scenario, profile: 'tardy', faults, seed });
    expect(fired).toHaveLength(2);
    expect(violations, text()).toEqual([]);
    // Where the calls have shifted, the faults strike at another moment, and nothing is lost.
    expect(has).toHaveReturnedWith(true);
  },
  60_000,
);

test('a status that is merged into another one of the same version, which a restored etcd gives out again, is put right', async () => {
  const scenario = databaseScenarios.find(({ name }) => name === 'only watched, and gone outside');
  if (scenario === undefined) throw new TypeError('the scenario of the watcher has another name');
  const { violations, fired, text } = await runHistory({
    scenario,
    profile: 'shifty',
    faults: [
      { kind: 'write', number: 5, when: 'before', effect: 'unavailable' },
      { kind: 'write', number: 4, when: 'after', effect: 'restore' },
    ],
    seed: 1_584_207_953,
  });
  expect(fired).toHaveLength(2);
  expect(violations, text()).toEqual([]);
}, 60_000);
