import { pods, services } from '@ordinal/client';
import type { InterceptedRequest, SimulatedCluster } from '@ordinal/simulator';
import { afterEach, expect, test } from 'vitest';
import { refuse } from '../writes/refuse.ts';
import {
  cache,
  cacheNow,
  caches,
  cacheWorld,
  change,
  images,
  isReady,
  isSettled,
  members,
  reaches,
  said,
} from './cache-world.ts';

const clusters: SimulatedCluster[] = [];
afterEach(() => clusters.splice(0).forEach((cluster) => cluster.stop()));

/** Three members of which one is held before its gate. */
async function holding(image: string): Promise<{ readonly cluster: SimulatedCluster; readonly held: string }> {
  const { cluster } = await cacheWorld();
  clusters.push(cluster);
  await caches(cluster).create(cache({ image }));
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  await change(cluster, { image: 'cache:2' });
  const held = () => members(cluster).find(({ metadata }) => metadata.finalizers?.length === 1);
  expect(await reaches(cluster, () => held() !== undefined)).toBe(true);
  return { cluster, held: held()?.metadata.name ?? '' };
}

/** A write of an object of this kind. */
const isWriteOf =
  (plural: string) =>
  ({ verb, resource }: InterceptedRequest): boolean =>
    resource.plural === plural && (verb === 'apply' || verb === 'create' || verb === 'patch');

const remove = (cluster: SimulatedCluster, name: string) => cluster.client()(pods).namespace('default').delete(name);
const terminating = (cluster: SimulatedCluster) =>
  members(cluster).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);

test('a member that is held goes, and the upgrade goes on, although a Service can’t be made', async () => {
  const { cluster, held } = await holding('cache:1');
  refuse(cluster, isWriteOf('services'));
  await cluster.client()(services).namespace('default').delete('sessions-client');
  await remove(cluster, held);
  expect(await reaches(cluster, () => said(cluster, 'Ready') === 'True AllMembersReady')).toBe(true);
  expect([images(cluster), members(cluster).filter(isReady).length]).toEqual([['cache:2', 'cache:2', 'cache:2'], 3]);
  expect(cacheNow(cluster)?.status?.processingError?.reason).toBe('Refused');
});

test('where the StatefulSet can’t be changed a member that is held goes when the deadline is over, and no other is taken down', async () => {
  const { cluster, held } = await holding('cache:stubborn');
  refuse(cluster, isWriteOf('statefulsets'));
  await change(cluster, { image: 'cache:3' });
  await remove(cluster, held);
  await cluster.advance(600_000);
  expect(terminating(cluster).map(({ metadata }) => metadata.name)).toEqual([held]);
  await cluster.advance(600_000);
  expect([terminating(cluster), members(cluster).filter(isReady).length]).toEqual([[], 3]);
  expect(images(cluster)).toEqual(['cache:stubborn', 'cache:stubborn', 'cache:2']);
  expect(said(cluster, 'Available')).toBe('False UpgradeFailed');
});
