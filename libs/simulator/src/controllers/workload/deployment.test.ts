import { deployments, pods, replicaSets } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../../index.ts';
import { create, merge, object, quick, template } from '../../../test/objects.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false });
  cluster.image('app:1', quick);
  cluster.image('app:2', quick);
  cluster.image('broken', { pull: 'fail' });
});
afterEach(() => cluster.stop());

const deployment = (spec: Record<string, unknown> = {}) =>
  object('apps/v1 Deployment', 'web', {
    spec: { replicas: 4, selector: { matchLabels: { app: 'web' } }, template: template('web'), ...spec },
  });
const status = () => cluster.objects.find(deployments, 'default', 'web')?.status;
const available = (image: string) => () =>
  status()?.availableReplicas === 4 &&
  status()?.updatedReplicas === 4 &&
  cluster.objects.list(pods).every(({ spec }) => spec.containers[0]?.image === image);
const reason = (type: string) => status()?.conditions?.find((condition) => condition.type === type)?.reason;

test('rolls without going below what must be available', async () => {
  await create(cluster, deployments, deployment());
  expect(await cluster.run({ until: available('app:1') })).toBe('reached');
  let fewest = 4;
  let max = 0;
  await merge(cluster, deployments, 'web', { spec: { template: template('web', 'app:2') } });
  const outcome = await cluster.run({
    until: () => {
      const living = cluster.objects.list(pods).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      fewest = Math.min(
        fewest,
        living.filter((pod) =>
          pod.status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
        ).length,
      );
      // Pods may be one more for a moment: what the Deployment asks for is bounded.
      const asked = cluster.objects
        .list(replicaSets, 'default')
        .reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0);
      max = Math.max(max, asked);
      return available('app:2')();
    },
  });
  expect([outcome, fewest, max]).toEqual(['reached', 3, 5]);
  expect(cluster.objects.list(replicaSets, 'default')).toHaveLength(2);
  expect(reason('Progressing')).toBe('NewReplicaSetAvailable');
});

test('takes everything down first, with Recreate', async () => {
  await create(cluster, deployments, deployment({ strategy: { type: 'Recreate' } }));
  await cluster.run({ until: available('app:1') });
  await merge(cluster, deployments, 'web', { spec: { template: template('web', 'app:2') } });
  expect(await cluster.run({ until: () => cluster.objects.list(pods).length === 0 })).toBe('reached');
  expect(await cluster.run({ until: available('app:2') })).toBe('reached');
});

test('says so when it makes no progress', async () => {
  await create(cluster, deployments, deployment({ progressDeadlineSeconds: 60 }));
  await cluster.run({ until: available('app:1') });
  await merge(cluster, deployments, 'web', { spec: { template: template('web', 'broken') } });
  expect(await cluster.run({ until: () => reason('Progressing') === 'ProgressDeadlineExceeded' })).toBe('reached');
  expect(reason('Available')).toBe('MinimumReplicasAvailable');
});

test('goes on from the revision of a ReplicaSet that it adopts, which may have 64 bits', async () => {
  const annotations = { 'deployment.kubernetes.io/revision': '3546343826724305832' };
  const old = object('apps/v1 ReplicaSet', 'old', {
    spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: template('web') },
  });
  await create(cluster, replicaSets, { ...old, metadata: { ...old.metadata, annotations, labels: { app: 'web' } } });
  await create(cluster, deployments, deployment({ template: template('web', 'app:2') }));
  expect(await cluster.run({ until: available('app:2') })).toBe('reached');
  const set = cluster.objects.find(deployments, 'default', 'web');
  expect(set?.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3546343826724305833');
});

test('a ReplicaSet replaces a pod that was deleted', async () => {
  await create(cluster, deployments, deployment());
  await cluster.run({ until: available('app:1') });
  const victim = cluster.objects.list(pods)[0]?.metadata;
  await cluster
    .client()(pods)
    .namespace('default')
    .delete(victim?.name ?? '');
  await cluster.run({ until: () => !cluster.objects.list(pods).some(({ metadata }) => metadata.uid === victim?.uid) });
  expect(await cluster.run({ until: available('app:1') })).toBe('reached');
});

test('a roll that is stuck and is rolled over keeps what is available until others are', async () => {
  const strategy = { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
  await create(cluster, deployments, deployment({ strategy, minReadySeconds: 10 }));
  expect(await cluster.run({ until: available('app:1') })).toBe('reached');
  await merge(cluster, deployments, 'web', { spec: { template: template('web', 'broken') } });
  await cluster.advance(30_000);
  await merge(cluster, deployments, 'web', { spec: { template: template('web', 'app:2') } });
  let fewest = 4;
  const isDone = available('app:2');
  const until = (): boolean => {
    fewest = Math.min(fewest, status()?.availableReplicas ?? 0);
    return isDone();
  };
  expect(await cluster.run({ until })).toBe('reached');
  expect(fewest).toBe(4);
});

const sizes = () =>
  Object.fromEntries(
    cluster.objects
      .list(replicaSets, 'default')
      .map(({ spec }) => [spec.template?.spec?.containers[0]?.image ?? '', spec.replicas]),
  );
const stuckAt = (first: number, second: number) => () => sizes()['app:1'] === first && sizes()['broken'] === second;
const halfRolled = async (): Promise<void> => {
  const strategy = { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } };
  await create(cluster, deployments, deployment({ replicas: 10, strategy }));
  await cluster.run({ until: () => status()?.availableReplicas === 10 });
  await merge(cluster, deployments, 'web', { spec: { template: template('web', 'broken') } });
  expect(await cluster.run({ until: stuckAt(8, 5) })).toBe('reached');
};

test('a Deployment that is scaled in the middle of a roll shares its pods among its ReplicaSets as they are', async () => {
  await halfRolled();
  await merge(cluster, deployments, 'web', { spec: { replicas: 30 } });
  expect(await cluster.run({ until: stuckAt(20, 13) })).toBe('reached');
  await merge(cluster, deployments, 'web', { spec: { replicas: 3 } });
  // Of 6 pods that may be there, 20/33 and 13/33.
  expect(await cluster.run({ until: () => (sizes()['app:1'] ?? 0) + (sizes()['broken'] ?? 0) <= 6 })).toBe('reached');
  expect(sizes()).toEqual({ 'app:1': 4, broken: 2 });
});

test('a Deployment that is paused is scaled, and rolls on when it is resumed', async () => {
  await halfRolled();
  await merge(cluster, deployments, 'web', { spec: { paused: true, replicas: 30 } });
  expect(await cluster.run({ until: stuckAt(20, 13) })).toBe('reached');
  expect(reason('Progressing')).toBe('DeploymentPaused');
  await merge(cluster, deployments, 'web', { spec: { paused: false, template: template('web', 'app:2') } });
  const isDone = (): boolean => status()?.updatedReplicas === 30 && status()?.replicas === 30;
  expect(await cluster.run({ until: isDone })).toBe('reached');
});

test('a ReplicaSet that is rolled back to keeps its former revision, and gets the annotations of its Deployment', async () => {
  await create(cluster, deployments, deployment());
  await cluster.run({ until: available('app:1') });
  await merge(cluster, deployments, 'web', { spec: { template: template('web', 'app:2') } });
  await cluster.run({ until: available('app:2') });
  const annotations = { team: 'a', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
  await merge(cluster, deployments, 'web', { metadata: { annotations }, spec: { template: template('web') } });
  await cluster.run({ until: available('app:1') });
  const set = cluster.objects.list(replicaSets, 'default').find(({ spec }) => spec.replicas === 4);
  expect(set?.metadata.annotations).toEqual({
    'deployment.kubernetes.io/desired-replicas': '4',
    'deployment.kubernetes.io/max-replicas': '5',
    'deployment.kubernetes.io/revision': '3',
    'deployment.kubernetes.io/revision-history': '1',
    team: 'a',
  });
  const { metadata } = cluster.objects.find(deployments, 'default', 'web') ?? {};
  expect(metadata?.annotations?.['deployment.kubernetes.io/revision']).toBe('3');
});
