import { pods } from '@ordinal/client';
import { expect, test } from 'vitest';
import { SimulatedCluster } from '@ordinal/simulator';
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
