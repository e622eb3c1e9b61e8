import { configMaps } from '@ordinal/client';
import { expect, test } from 'vitest';
import { sampleOperator, sampleScenario } from '../../test/sample-operator.ts';
import type { TestCluster } from '@ordinal/simulator';
import type { FaultName } from '../faults/fault.ts';
import { generalInvariants } from '../oracles/general.ts';
import { explore, replay } from './explore.ts';
import { runHistory } from './history.ts';
import { describeReport } from './report.ts';
import type { Scenario } from './scenario.ts';

const setImage = async (cluster: TestCluster, image: string): Promise<void> => {
  const maps = cluster.client()(configMaps).namespace('default');
  await maps.patch('app', { type: 'merge', body: { data: { image } } });
};

/** The sample's scenario, with all that some classes of faults need: a user, one who errs, and an older operator. */
const scenario = (): Scenario => ({
  ...sampleScenario(),
  olderVersion: sampleOperator(),
  actions: { 'the user labels the object': labelled },
  mistakes: {
    'the wrong version': {
      make: (cluster) => setImage(cluster, 'app:3'),
      revert: (cluster) => setImage(cluster, 'app:2'),
    },
  },
});

async function labelled(cluster: TestCluster): Promise<void> {
  const maps = cluster.client()(configMaps).namespace('default');
  await maps.patch('app', { type: 'merge', body: { metadata: { labels: { a: String(cluster.clock.now()) } } } });
}

const everyClass: readonly FaultName[] = [
  'crash',
  'ambiguous',
  'refuse',
  'stale',
  'timeTravel',
  'unobserved',
  'twoLeaders',
  'user',
  'mistake',
  'pod',
  'node',
  'outage',
  'clock',
  'permission',
  'oldVersion',
  'restore',
];

test.each(everyClass)(
  'faults of the class %s strike, and the sample operator bears them',
  async (name) => {
    const report = await explore({ scenario: scenario(), faults: [name], seed: 7, budget: { histories: 6, pairs: 0 } });
    expect(report.fired[name]).toBeGreaterThan(0);
    expect(describeReport(report)).toContain('0 failed');
  },
  60_000,
);

test('finds that a broken image which is taken back leaves a StatefulSet stuck (kubernetes#67250)', async () => {
  const broken: Scenario = {
    ...sampleScenario(),
    mistakes: {
      'an image that is never ready': {
        make: (cluster) => {
          cluster.image('app:broken', { ready: () => false });
          return setImage(cluster, 'app:broken');
        },
        revert: (cluster) => setImage(cluster, 'app:2'),
      },
    },
  };
  const at = { when: 'after', write: 2 } as const;
  const { violations } = await replay({
    scenario: broken,
    seed: 7,
    faults: [{ fault: 'mistake', at, mistake: 'an image that is never ready', forMs: 1_200_000 }],
  });
  expect(violations.map(({ oracle }) => oracle)).toEqual(['the world converges when faults have stopped']);
});

test('a leader that is deposed goes on for the given time; then both end, and one starts again', async () => {
  const starts: { readonly identity: string; readonly at: number }[] = [];
  const watched: Scenario = {
    ...scenario(),
    operator: (environment) => {
      starts.push({ identity: environment.identity, at: environment.clock.now() });
      return sampleOperator()(environment);
    },
  };
  const at = { when: 'before', write: 1 } as const;
  const { violations } = await runHistory({
    scenario: watched,
    seed: 7,
    oracles: generalInvariants,
    faults: [{ fault: 'twoLeaders', at, pauseMs: 20_000, deposedMs: 10_000 }],
  });
  expect(violations).toEqual([]);
  const [, twin, last] = starts;
  expect(starts).toHaveLength(3);
  expect(new Set(starts.map(({ identity }) => identity)).size).toBe(3);
  expect((last?.at ?? 0) - (twin?.at ?? 0)).toBe(30_000);
});
