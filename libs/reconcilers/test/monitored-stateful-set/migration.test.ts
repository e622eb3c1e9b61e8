import { monitoredStatefulSets } from '@ordinal/api';
import { expect, test } from 'vitest';
import { honest } from '../external/database-world.ts';
import { endpoints, monitoredSet, setNow, setWorld } from '../external/set-world.ts';

test('a monitor that answers and registers no set does not cost the set its former registration', async () => {
  const world = await setWorld(1, honest);
  const { cluster, providers, operator } = world;
  const sets = cluster.client()(monitoredStatefulSets).namespace('team');
  const phase = (): string | undefined => setNow(cluster, 'db')?.status?.phase;
  await sets.create(monitoredSet('db'));
  await cluster.run({ until: () => phase() === 'Registered', maxVirtualMs: 600_000 });
  const release = operator.hook({
    before: ({ method, target }) =>
      method === 'POST' && target.startsWith(endpoints[1]) ? { status: 503 } : undefined,
  });
  await sets.patch('db', { type: 'merge', body: { spec: { monitorEndpoint: endpoints[1] } } });
  await cluster.advance(600_000);
  expect(providers.map((provider) => provider.present().length)).toEqual([1, 0]);
  release();
  await cluster.run({ until: () => providers[0].present().length === 0, maxVirtualMs: 3_600_000 });
  expect(providers.map((provider) => provider.present().length)).toEqual([0, 1]);
  cluster.stop();
});
