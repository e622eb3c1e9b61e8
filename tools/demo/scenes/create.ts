import { cloudDatabases, clusteredCaches, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { isTrue } from '../pods.ts';
import { accountSecret, cacheSample, databaseSample, monitoredSample, names, storeSample } from '../samples.ts';
import type { Stage } from '../stage.ts';

/** Creates the four resources, and waits until all four are ready. */
export async function createFour({
  screen,
  resources,
  client,
  surroundings,
  watcher,
  assertions,
}: Stage): Promise<void> {
  const { namespace } = surroundings;
  await client(secrets).namespace(namespace).create(accountSecret(surroundings));
  screen.line('user', 'creates a ClusteredCache, a KVStoreCluster, a MonitoredStatefulSet and a CloudDatabase', 'user');
  await resources.clusteredCaches.namespace(namespace).create(cacheSample(surroundings));
  await resources.kvStoreClusters.namespace(namespace).create(storeSample(surroundings));
  await createWatched({ resources, surroundings });
  const conditions = (): readonly (readonly [string, Parameters<typeof isTrue>[0]])[] => [
    ['ClusteredCache', watcher.find(clusteredCaches, names.cache)?.status?.conditions],
    ['KVStoreCluster', watcher.find(kvStoreClusters, names.store)?.status?.conditions],
    ['MonitoredStatefulSet', watcher.find(monitoredStatefulSets, names.monitored)?.status?.conditions],
    ['CloudDatabase', watcher.find(cloudDatabases, names.database)?.status?.conditions],
  ];
  const ready = (): readonly string[] =>
    conditions().flatMap(([kind, found]) => (isTrue(found, 'Ready') ? [kind] : []));
  await watcher.until('all four resources are ready', () => ready().length === 4);
  assertions.check('four resources become ready', ready().length === 4, ready().join(', '));
}

/** Creates the two resources that something outside of the cluster belongs to. */
export async function createWatched({
  resources,
  surroundings,
}: Pick<Stage, 'resources' | 'surroundings'>): Promise<void> {
  const { namespace } = surroundings;
  await resources.monitoredStatefulSets.namespace(namespace).create(monitoredSample(surroundings));
  await resources.cloudDatabases.namespace(namespace).create(databaseSample(surroundings));
}
