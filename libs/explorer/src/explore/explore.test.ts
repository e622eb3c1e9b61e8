import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { sampleScenario } from '../../test/sample-operator.ts';
import type { FaultName } from '../faults/fault.ts';
import { explore, replay } from './explore.ts';
import { describeReport } from './report.ts';

const faults: readonly FaultName[] = [
  'crash',
  'ambiguous',
  'refuse',
  'stale',
  'unobserved',
  'pod',
  'outage',
  'clock',
  'permission',
];

describe('a search of histories', () => {
  test('finds nothing in an operator that resumes from the API alone', async () => {
    const report = await explore({ scenario: sampleScenario(), faults, seed: 7, budget: { histories: 40 } });
    expect(describeReport(report)).toContain('0 failed');
    expect(report.distinctTraces).toBeGreaterThan(25);
    expect(Object.keys(report.fired).sort()).toEqual([...faults].sort());
  });

  test('finds a registration that a crash doubles, and tells it as a test', async () => {
    const report = await explore({
      scenario: sampleScenario({ forgetsToken: true }),
      faults: ['crash'],
      seed: 7,
      budget: { histories: 12, pairs: 0 },
    });
    expect(report.failures[0]?.violations[0]?.message).toBe('2 registrations of one object');
    expect(report.failures[0]?.faults).toHaveLength(1);
    expect(report.failures[0]?.test).toContain('await replay({ scenario, oracles, seed: 7');
  });

  test('finds an operator that never comes to rest', async () => {
    const report = await explore({
      scenario: sampleScenario({ chatters: true }),
      faults: [],
      seed: 7,
      budget: { histories: 1 },
    });
    expect(report.failures[0]?.violations.map(({ oracle }) => oracle)).toContain(
      'the operator is quiet when all is done',
    );
  });

  test('gives the same history for the same seed, and others for others', async () => {
    const [first, again, other] = [
      await replay({ scenario: sampleScenario(), seed: 3 }),
      await replay({ scenario: sampleScenario(), seed: 3 }),
      await replay({ scenario: sampleScenario(), seed: 4 }),
    ];
    const textOf = ({ cluster }: typeof first): string => cluster.trace.text(cluster.startedAt);
    expect(textOf(again)).toBe(textOf(first));
    expect(textOf(other)).not.toBe(textOf(first));
  });

  test('releases a world when its history is over, also of one whose operator was killed', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void; // What the flag has just put there.
    const crash = { fault: 'crash', at: { when: 'after', write: 2 } } as const;
    const worldOf = async (options: Partial<Parameters<typeof replay>[0]>): Promise<WeakRef<object>> =>
      new WeakRef((await replay({ scenario: sampleScenario(), seed: 3, ...options })).cluster);
    const worlds = [await worldOf({}), await worldOf({ faults: [crash] })];
    for (let round = 0; round < 20 && worlds.some((world) => world.deref()); round += 1) {
      await pause(10);
      collect();
    }
    expect(worlds.map((world) => world.deref() === undefined)).toEqual([true, true]);
  });
});
