import { services, statefulSets } from '@ordinal/client';
import type { Scenario } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { everyFault } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  cacheNow,
  caches,
  change,
  installImages,
  members,
  said,
  setNow,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate } from './scenario.ts';
import { allRun, failed } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

const childrenLeft = (cluster: TestCluster): string[] =>
  ['services', 'poddisruptionbudgets.policy', 'jobs.batch'].flatMap((kind) =>
    cluster.server.store
      .snapshot(kind)
      .filter(([, { metadata }]) => metadata.ownerReferences)
      .map(([key]) => `${kind} ${key}`),
  );

/** What users and others may take away while a cache is being deleted. */
const tidying: NonNullable<Scenario['actions']> = {
  'delete the StatefulSet, with its pods': async (cluster) => {
    if (setNow(cluster)) await cluster.client()(statefulSets).namespace('default').delete('sessions', {});
  },
  'delete the Services': async (cluster) => {
    for (const { metadata } of cluster.objects.list(services, 'default'))
      await cluster.client()(services).namespace('default').delete(metadata.name);
  },
  'take the finalizers off the cache that is being deleted': async (cluster) => {
    if (cacheNow(cluster)?.metadata.deletionTimestamp !== undefined)
      await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { finalizers: null } } });
  },
};

/** The cache is deleted while a member is held before a closed gate, when its spec has become invalid. */
export const deletion: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  // Where the StatefulSet is seen as it was, the gate may be asked, and the cache deleted, before the new template is written.
  livesVary: ['timeTravel'],
  scenario: {
    ...common,
    name: 'a deletion in the middle of an upgrade',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate, image: 'cache:stubborn' }));
    },
    drive: async (cluster, until) => {
      // After an older version the template is another one, and its upgrade never gets through this image's gate.
      await until(() => allRun(cluster, 'cache:stubborn') || failed(cluster));
      await change(cluster, { image: 'cache:2' });
      // Where a user has deleted all members the upgrade is over before a gate is asked.
      const isOver = (): boolean => failed(cluster) || allRun(cluster, 'cache:2');
      await until(() => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingGate' || isOver());
      await change(cluster, { image: 'not an image' });
      await until(() => said(cluster, 'Degraded') === 'True InvalidSpec');
      await caches(cluster).delete('sessions');
    },
    isDone: (cluster) =>
      cacheNow(cluster) === undefined && members(cluster).length === 0 && setNow(cluster) === undefined,
    leaks: childrenLeft,
    actions: tidying,
  },
};
