import type { KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import { conditionOf, persistentVolumeClaims, pods, services, statefulSets, storageClasses } from '@ordinal/client';
import type { Condition } from '@ordinal/client';
import type { Invariant, Scenario } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { isReady } from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';

/** A kind that takes over the StatefulSet of a chart and gives it back. */
export interface Taker {
  readonly name: string;
  readonly cluster: NonNullable<Scenario['cluster']>;
  readonly operator: Scenario['operator'];
  /** What there is outside of the cluster. */
  readonly setUp?: (cluster: TestCluster) => void;
  readonly descriptor: ResourceDescriptor;
  /** The resource whose spec names the StatefulSet. */
  readonly resource: KubernetesObjectInput & { readonly spec: object };
}

const name = 'shop-redis';
const namespace = 'default';
const selector = { 'app.kubernetes.io/name': 'redis', 'app.kubernetes.io/instance': 'shop' };

/** The template of the chart's pods. */
export const chartTemplate = {
  metadata: { labels: { ...selector, 'helm.sh/chart': 'redis-1.0' } },
  spec: {
    containers: [
      { name: 'redis', image: 'chart:1', volumeMounts: [{ name: 'redis-data', mountPath: '/data' }] },
      { name: 'metrics', image: 'chart:1' },
    ],
  },
};

/** The StatefulSet of the chart. */
export const chartSpec = {
  replicas: 3,
  serviceName: `${name}-headless`,
  selector: { matchLabels: selector },
  template: chartTemplate,
  volumeClaimTemplates: [
    {
      metadata: { name: 'redis-data' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'chart',
        resources: { requests: { storage: '1Gi' } },
      },
    },
  ],
};

/** What a ClusteredCache and a KVStoreCluster say of it. */
export const adopt = {
  ...{ statefulSet: name, serviceName: chartSpec.serviceName, selector },
  ...{ container: 'redis', claim: 'redis-data' },
};

/** The name and place of the StatefulSet, and so of the resource. */
export const place = { name, namespace };

async function installChart(cluster: TestCluster): Promise<void> {
  const client = cluster.client();
  cluster.image('chart:1', { startsIn: 1_000 });
  await client(storageClasses)
    .cluster()
    .create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'chart' },
      provisioner: 'simulated',
    });
  await client(services)
    .namespace(namespace)
    .create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: chartSpec.serviceName, labels: selector },
      spec: { clusterIP: 'None', selector },
    });
  await client(statefulSets)
    .namespace(namespace)
    .create({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name, labels: selector }, spec: chartSpec });
}

const setIn = (cluster: TestCluster) => cluster.objects.find(statefulSets, namespace, name);

const podsIn = (cluster: TestCluster) =>
  cluster.objects.list(pods, namespace).filter((pod) => pod.metadata.name.startsWith(name));

/** What of the chart has to stay: each as `kind name uid`. */
const ofChart = (cluster: TestCluster): readonly string[] =>
  [
    ...cluster.objects.list(persistentVolumeClaims, namespace),
    ...cluster.objects.list(services, namespace).filter(({ metadata }) => metadata.name === chartSpec.serviceName),
    ...cluster.objects.list(statefulSets, namespace),
    ...podsIn(cluster),
  ].map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.uid}`);

/** What was there before the resource was. */
const before = new WeakMap<object, readonly string[]>();

/** At each step all pods of the chart serve, and each of its objects is the one that it was. */
const servesThroughout: Invariant = {
  name: 'what a chart has made is there and serves throughout',
  afterChange: (cluster) => {
    const had = before.get(cluster.objects);
    if (!had) return undefined;
    const now = new Set(ofChart(cluster));
    const gone = had.filter((each) => !now.has(each));
    if (gone.length > 0) return `gone: ${gone.join(', ')}`;
    const down = podsIn(cluster).filter((pod) => !isReady(pod));
    return down.length > 0 ? `not ready: ${down.map(({ metadata }) => metadata.name).join(', ')}` : undefined;
  },
};

const resourceIn = (cluster: TestCluster, { descriptor }: Taker) =>
  cluster.objects.find(descriptor, namespace, name) as
    | (KubernetesObject & {
        readonly status?: { readonly conditions?: readonly Condition[]; readonly observedGeneration?: number };
      })
    | undefined;

/** What a user does: has it taken over, uses it for a while, and gives it back. */
const driveOf =
  (taker: Taker): NonNullable<Scenario['drive']> =>
  async (cluster, until) => {
    const resources = cluster.client()(taker.descriptor).namespace(namespace);
    const said = (type: string) => conditionOf(resourceIn(cluster, taker)?.status?.conditions, type);
    await until(() => podsIn(cluster).filter(isReady).length === 3);
    before.set(cluster.objects, ofChart(cluster));
    await resources.create(taker.resource);
    await until(() => said('Adopted')?.reason === 'AwaitingConsent');
    const annotations = { 'ordinal.dev/adopt': setIn(cluster)?.metadata.uid ?? '' };
    await resources.patch(name, { type: 'merge', body: { metadata: { annotations } } });
    await until(() => said('Adopted')?.status === 'True' && said('Ready')?.status === 'True');
    const taken = cluster.clock.now();
    await until(() => cluster.clock.now() >= taken + 120_000);
    await resources.delete(name, { propagationPolicy: 'Orphan' });
    await until(() => resourceIn(cluster, taker) === undefined);
    // As kubectl ordinal release-ownership does: else its own controller would replace the rest at once.
    await until(() => {
      const { metadata, status } = setIn(cluster) ?? {};
      return status?.observedGeneration === metadata?.generation && status?.updatedReplicas === 3;
    });
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: null };
    await cluster
      .client()(statefulSets)
      .namespace(namespace)
      .patch(name, { type: 'merge', body: { spec: { updateStrategy } } });
    const given = cluster.clock.now();
    await until(() => cluster.clock.now() >= given + 120_000);
  };

/** A StatefulSet that runs is taken over as it is, and given back as it is. */
export const givenBack = (taker: Taker): { readonly scenario: Scenario; readonly oracles: readonly Invariant[] } => ({
  oracles: [servesThroughout],
  scenario: {
    name: `${taker.name}: a StatefulSet of a chart is taken over, and given back`,
    cluster: taker.cluster,
    operator: taker.operator,
    setUp: async (cluster) => {
      taker.setUp?.(cluster);
      await installChart(cluster);
    },
    drive: driveOf(taker),
    isDone: (cluster) =>
      resourceIn(cluster, taker) === undefined &&
      setIn(cluster)?.metadata.ownerReferences === undefined &&
      podsIn(cluster).every(({ metadata }) => metadata.finalizers === undefined),
  },
});
