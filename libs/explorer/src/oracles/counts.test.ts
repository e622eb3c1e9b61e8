import { pods } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { SimulatedCluster } from '@ordinal/simulator';
import type { LifeSummary } from './counts.ts';
import { compareLives, countLives } from './counts.ts';

const pod = (name: string, generateName: string) => ({
  apiVersion: 'v1' as const,
  kind: 'Pod' as const,
  metadata: { name, generateName },
  spec: { containers: [{ name: 'main', image: 'app:1' }] },
});

async function livesOf(...names: readonly string[]): Promise<ReturnType<typeof countLives>> {
  const cluster = await SimulatedCluster.start({ nodes: 0, events: false });
  const lives = countLives(cluster);
  for (const name of names)
    await cluster
      .client()(pods)
      .namespace('default')
      .create(pod(name, `${name.slice(0, name.lastIndexOf('-'))}-`));
  cluster.stop();
  return lives;
}

test('names whose ends were drawn are the same, digits alone too; ordinals are not', async () => {
  expect(compareLives(await livesOf('job-x7k2p'), await livesOf('job-78748'))).toEqual([]);
  expect(compareLives(await livesOf('web-0'), await livesOf('web-1'))).toHaveLength(2);
});

describe('where a clock was set', () => {
  const lives = (created: number, givenUp: number): LifeSummary => ({
    objects: new Map([['pods default/web-0', { created, deleted: created - 1 }]]),
    givenUp,
  });
  const differences = (history: LifeSummary, without = lives(2, 0)) =>
    compareLives(without, history, { clockIsSet: true });

  test('an object comes and goes exactly as often as without faults while nothing is given up', () => {
    expect(differences(lives(2, 0))).toEqual([]);
    expect(differences(lives(3, 0))).toHaveLength(1);
    expect(differences(lives(1, 0))).toHaveLength(1);
  });

  test('it may come and go twice more for each time that something was given up, and not more often', () => {
    expect(differences(lives(4, 1))).toEqual([]);
    expect(differences(lives(5, 1))).toHaveLength(1);
    expect(differences(lives(6, 2))).toEqual([]);
  });

  test('it may not come more often where as much was given up without faults, but less often', () => {
    expect(differences(lives(3, 1), lives(2, 1))).toHaveLength(1);
    expect(differences(lives(1, 1), lives(2, 1))).toEqual([]);
  });
});

test('other faults than of the clock give no reason to give anything up', () => {
  const lives = (created: number, givenUp: number): LifeSummary => ({
    objects: new Map([['pods default/web-0', { created, deleted: 0 }]]),
    givenUp,
  });
  expect(compareLives(lives(1, 0), lives(2, 1))).toHaveLength(1);
});

test('what a scenario takes for giving up is counted', async () => {
  const cluster = await SimulatedCluster.start({ nodes: 0, events: false });
  const lives = countLives(cluster, ({ after }) => after.metadata.name === 'web-1');
  for (const name of ['web-0', 'web-1']) await cluster.client()(pods).namespace('default').create(pod(name, 'web-'));
  cluster.stop();
  expect(lives.givenUp).toBe(1);
});
