import { services, statefulSets } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { everyFaultBut } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  cacheNow,
  caches,
  change,
  installImages,
  isReady,
  members,
  setNow,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { allRun } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';
import { cacheInvariants } from './invariants.ts';
import { common, untilAllRun } from './scenario.ts';

const selector = { app: 'sessions', tier: 'chart' };
const adopt = { statefulSet: 'sessions', serviceName: 'sessions-headless', selector, container: 'redis' };

/** What a chart has made: another selector, Service and container than ours, pods that come up one after the other and that Kubernetes replaces itself. */
async function installChart(cluster: TestCluster): Promise<void> {
  const client = cluster.client();
  const metadata = { name: 'sessions-headless' };
  await client(services)
    .namespace('default')
    .create({ apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: 'None', selector } });
  const template = {
    metadata: { labels: { ...selector, chart: 'redis-1.0' } },
    spec: { containers: [{ name: 'redis', image: 'cache:1', env: [{ name: 'MODE', value: 'replica' }] }] },
  };
  await client(statefulSets)
    .namespace('default')
    .create({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'sessions' },
      spec: { replicas: 3, serviceName: metadata.name, selector: { matchLabels: selector }, template },
    });
}

/** Nothing that the operator does to take a StatefulSet over takes a member down: before another image is asked for none is deleted by it. */
const nothingRestarts: Invariant = {
  name: 'a StatefulSet is taken over without a restart',
  afterRequest: (cluster, { verb, kind, name = '', status }) => {
    if (verb !== 'delete' || kind !== 'pods' || status >= 300) return undefined;
    return cacheNow(cluster)?.spec.image === 'cache:1' ? `${name} was deleted while it was taken over` : undefined;
  },
};

/** A StatefulSet of a chart is taken over as it runs, and upgraded. */
export const adopted: Searched = {
  oracles: [...cacheInvariants, nothingRestarts],
  // An older operator does not know the field, and users who delete the StatefulSet before it is taken over leave nothing to take over.
  faults: everyFaultBut('oldVersion', 'user'),
  scenario: {
    ...common,
    name: 'a StatefulSet of a chart is taken over, and upgraded',
    setUp: async (cluster) => {
      installImages(cluster);
      await installChart(cluster);
    },
    drive: async (cluster, until) => {
      await until(() => members(cluster).filter(isReady).length === 3);
      await caches(cluster).create(cache({ adopt }));
      await until(() =>
        (cacheNow(cluster)?.status?.conditions ?? []).some(({ reason }) => reason === 'AwaitingConsent'),
      );
      const annotations = { 'ordinal.dev/adopt': setNow(cluster)?.metadata.uid ?? '' };
      await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { annotations } } });
      await untilAllRun(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};
