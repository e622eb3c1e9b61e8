import type { Condition } from '@ordinal/client';
import { services } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { watchInvariants } from '@ordinal/explorer';
import { expect, test } from 'vitest';
import { cacheFailuresAreVisible } from '../clustered-cache/invariants.ts';
import {
  cache,
  cacheNow,
  caches,
  cacheWorld,
  isSettled,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { storeFailuresAreVisible } from '../kv-store-cluster/invariants.ts';
import { kvStoreWorld, store, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { stores, until } from '../../../libs/reconcilers/test/kv-store-cluster/store-steps.ts';
import { refuse } from '../../../libs/reconcilers/test/writes/refuse.ts';

interface Shown {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Deletes a Service that can't be made again, while all members serve, for three minutes; says what the conditions say then, and fifteen minutes after that is over. */
async function withoutService(cluster: SimulatedCluster, name: string, now: () => Shown | undefined) {
  const said = () => now()?.status?.conditions?.find(({ type }) => type === 'ReconcileFailed');
  const allow = refuse(cluster, ({ verb, resource }) => resource.plural === 'services' && verb === 'apply');
  await cluster.client()(services).namespace('default').delete(name);
  await cluster.advance(180_000);
  const during = said();
  allow();
  await cluster.advance(900_000);
  return { during, after: said() };
}

const operators = new Set(['system:serviceaccount:operators:ordinal']);
const failed = { status: 'True', reason: 'Refused', message: expect.stringContaining('no') as unknown };

test('a Service that is refused below a cache that serves shows in the conditions, until it is not refused', async () => {
  const { cluster, events } = await cacheWorld();
  await caches(cluster).create(cache());
  await cluster.run({ until: () => isSettled(cluster), maxVirtualMs: 600_000 });
  const watch = watchInvariants(cluster, [cacheFailuresAreVisible], operators);
  const { during, after } = await withoutService(cluster, 'sessions-client', () => cacheNow(cluster));
  expect(watch.violations).toEqual([]);
  expect([during, after]).toEqual([expect.objectContaining(failed), undefined]);
  expect(events.some(({ type, reason }) => type === 'Warning' && reason === 'ProcessingError')).toBe(true);
  cluster.stop();
});

test('and below a store', async () => {
  const { cluster, events } = await kvStoreWorld();
  await stores(cluster).create(store());
  await until(cluster, () => storeNow(cluster)?.status?.phase === 'Ready');
  const [service] = cluster.objects.list(services, 'default');
  const watch = watchInvariants(cluster, [storeFailuresAreVisible], operators);
  const { during, after } = await withoutService(cluster, service?.metadata.name ?? '', () => storeNow(cluster));
  expect(watch.violations).toEqual([]);
  expect([during, after]).toEqual([expect.objectContaining(failed), undefined]);
  expect(events.some(({ type, reason }) => type === 'Warning' && reason === 'ProcessingError')).toBe(true);
  cluster.stop();
});
