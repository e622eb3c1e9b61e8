import { expect, onTestFinished, test } from 'vitest';
import { readContents } from '../src/cluster/read.ts';
import { surroundingsOf } from '../src/cluster/surroundings.ts';
import { nearby } from '../src/cluster/nearby.ts';
import { pluginWorld } from './plugin-world.ts';
import { changeStore, readyCache, readySet, readyStore, storeNow, until } from './resources.ts';

test('what can belong to a resource is all that does', async () => {
  const { cluster, stop } = await pluginWorld({ hasEvents: true });
  onTestFinished(stop);
  await readyCache(cluster);
  await readySet(cluster);
  await readyStore(cluster);
  cluster.image('backups:1', { run: () => 0 });
  await changeStore(cluster, {
    backup: { job: { command: ['backup'], image: 'backups:1' }, schedule: { cron: '* * * * *' } },
  });
  await until(cluster, 'a backup', () => storeNow(cluster)?.status?.backups?.[0]?.result === 'Succeeded');
  await changeStore(cluster, { version: 'missing' });
  await cluster.advance(20_000);
  const contents = await readContents({ client: cluster.client(), namespace: 'shop' });
  const near = nearby(contents);
  expect(contents.resources).toHaveLength(3);
  expect(contents.jobs.length).toBeGreaterThan(0);
  for (const resource of contents.resources) {
    const around = surroundingsOf(resource, near(resource));
    expect(around).toEqual(surroundingsOf(resource, contents));
    expect(around.members.length).toBeGreaterThan(0);
    expect(near(resource).pods.length).toBeLessThan(contents.pods.length);
  }
});
