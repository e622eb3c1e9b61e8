import { controllerRevisions, persistentVolumeClaims, pods, statefulSets } from '@ordinal/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SimulatedCluster } from '../../index.ts';
import { comingsAndGoings, create, merge, quick, statefulSet, template } from '../../../test/objects.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false });
  for (const image of ['app:1', 'app:2', 'app:3']) cluster.image(image, quick);
  cluster.image('broken', { pull: 'fail' });
});
afterEach(() => cluster.stop());

const set = () => cluster.objects.find(statefulSets, 'default', 'web');
const names = () => cluster.objects.list(pods, 'default').map(({ metadata }) => metadata.name);
const images = () => cluster.objects.list(pods, 'default').map(({ spec }) => spec.containers[0]?.image);
const ready = (count: number) => () => set()?.status?.readyReplicas === count;
const history = () => comingsAndGoings(cluster, 'pods', 'statefulset-controller');
const reach = async (until: () => boolean) => {
  expect(await cluster.run({ until })).toBe('reached');
};
const update = (image: string) => merge(cluster, statefulSets, 'web', { spec: { template: template('web', image) } });

const claims = [
  { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
];

describe('a StatefulSet in order', () => {
  test('comes up one pod after the other, and goes down in reverse', async () => {
    await create(cluster, statefulSets, statefulSet('web'));
    await reach(ready(3));
    await merge(cluster, statefulSets, 'web', { spec: { replicas: 1 } });
    await reach(() => names().length === 1);
    expect(history()).toEqual(['create web-0', 'create web-1', 'create web-2', 'delete web-2', 'delete web-1']);
  });

  test('rolls from the last pod to the first, down to the partition', async () => {
    await create(
      cluster,
      statefulSets,
      statefulSet('web', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }),
    );
    await reach(ready(3));
    await update('app:2');
    await reach(() => set()?.status?.updatedReplicas === 2 && set()?.status?.readyReplicas === 3);
    await cluster.advance(60_000);
    expect(images()).toEqual(['app:1', 'app:2', 'app:2']);
    // It is not replaced again and again by one like it either.
    expect(history()).not.toContain('delete web-0');
    expect(set()?.status?.currentRevision).not.toBe(set()?.status?.updateRevision);
    await merge(cluster, statefulSets, 'web', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await reach(() => set()?.status?.currentRevision === set()?.status?.updateRevision);
    expect(images()).toEqual(['app:2', 'app:2', 'app:2']);
  });

  test('adopts the pods and the revisions of a set of its name that was deleted without them', async () => {
    await create(cluster, statefulSets, statefulSet('web'));
    await reach(ready(3));
    await cluster.client()(statefulSets).namespace('default').delete('web', { propagationPolicy: 'Orphan' });
    await reach(() => set() === undefined);
    await create(cluster, statefulSets, statefulSet('web'));
    await reach(ready(3));
    const owners = [...cluster.objects.list(pods, 'default'), ...cluster.objects.list(controllerRevisions, 'default')];
    expect(owners.map(({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid))).toEqual(
      Array.from({ length: 4 }, () => [set()?.metadata.uid]),
    );
  });

  test('replaces a pod only when a client deletes it, with OnDelete', async () => {
    await create(cluster, statefulSets, statefulSet('web', { updateStrategy: { type: 'OnDelete' } }));
    await reach(ready(3));
    await update('app:2');
    await cluster.advance(60_000);
    expect(images()).toEqual(['app:1', 'app:1', 'app:1']);
    await cluster.client()(pods).namespace('default').delete('web-1');
    await reach(() => images()[1] === 'app:2' && ready(3)());
    expect(images()).toEqual(['app:1', 'app:2', 'app:1']);
  });

  test('never replaces a broken pod by a template that was put right (kubernetes#67250)', async () => {
    await create(cluster, statefulSets, statefulSet('web'));
    await reach(ready(3));
    await update('broken');
    await reach(() => images()[2] === 'broken');
    await update('app:1');
    await cluster.advance(3_600_000);
    expect(images()).toEqual(['app:1', 'app:1', 'broken']);
    await cluster.client()(pods).namespace('default').delete('web-2');
    await reach(ready(3));
    expect(images()).toEqual(['app:1', 'app:1', 'app:1']);
  });

  test('waits until a pod has been ready for minReadySeconds', async () => {
    await create(cluster, statefulSets, statefulSet('web', { replicas: 2, minReadySeconds: 30 }));
    await reach(ready(1));
    const firstReadyAt = cluster.clock.now();
    await reach(() => names().length === 2);
    expect(cluster.clock.now() - firstReadyAt).toBeGreaterThan(29_000);
    await reach(() => set()?.status?.availableReplicas === 2);
  });

  test('keeps a pod object that has a finalizer, and makes no new pod meanwhile, although its process has ended', async () => {
    await create(cluster, statefulSets, statefulSet('web', { replicas: 1 }));
    await reach(ready(1));
    const client = cluster.client()(pods).namespace('default');
    await client.patch('web-0', { type: 'merge', body: { metadata: { finalizers: ['example.com/hold'] } } });
    await client.delete('web-0');
    await cluster.advance(120_000);
    expect(cluster.process('default', 'web-0')).toBeUndefined();
    expect(cluster.objects.find(pods, 'default', 'web-0')?.status?.phase).toBe('Succeeded');
    await client.patch('web-0', { type: 'merge', body: { metadata: { finalizers: null } } });
    await reach(ready(1));
  });
});

describe('a StatefulSet in parallel', () => {
  test('creates and deletes its pods at once', async () => {
    await create(cluster, statefulSets, statefulSet('web', { podManagementPolicy: 'Parallel' }));
    await reach(() => names().length === 3);
    expect(set()?.status?.readyReplicas ?? 0).toBe(0);
    await reach(ready(3));
    await merge(cluster, statefulSets, 'web', { spec: { replicas: 0 } });
    await reach(() => cluster.objects.list(pods).every(({ metadata }) => metadata.deletionTimestamp !== undefined));
  });

  test('rolls one pod at a time all the same, and waits until it is ready', async () => {
    await create(cluster, statefulSets, statefulSet('web', { podManagementPolicy: 'Parallel' }));
    await reach(ready(3));
    await update('app:2');
    let fewest = 3;
    await reach(() => {
      fewest = Math.min(fewest, set()?.status?.readyReplicas ?? 0);
      return images().filter((image) => image === 'app:2').length === 3 && set()?.status?.readyReplicas === 3;
    });
    expect(fewest).toBe(2);
  });
});

describe('the revisions of a StatefulSet', () => {
  test('keep their names when a template comes back, and are forgotten beyond the limit', async () => {
    await create(cluster, statefulSets, statefulSet('web', { replicas: 1, revisionHistoryLimit: 1 }));
    await reach(ready(1));
    const first = set()?.status?.currentRevision;
    for (const image of ['app:2', 'app:1']) {
      await update(image);
      await reach(() => images()[0] === image && set()?.status?.currentRevision === set()?.status?.updateRevision);
    }
    expect(set()?.status?.currentRevision).toBe(first);
    for (const image of ['app:2', 'app:3', 'app:1']) {
      await update(image);
      await reach(() => images()[0] === image && set()?.status?.currentRevision === set()?.status?.updateRevision);
      await cluster.advance(1000);
    }
    expect(cluster.objects.list(controllerRevisions, 'default')).toHaveLength(2);
  });
});

describe('the claims of a StatefulSet', () => {
  const claimNames = () => cluster.objects.list(persistentVolumeClaims, 'default').map(({ metadata }) => metadata.name);

  test('stay when it is scaled down or deleted, by default', async () => {
    await create(cluster, statefulSets, statefulSet('web', { replicas: 2, volumeClaimTemplates: claims }));
    await reach(ready(2));
    await cluster.client()(statefulSets).namespace('default').delete('web');
    await reach(() => names().length === 0);
    await cluster.advance(60_000);
    expect(claimNames()).toEqual(['data-web-0', 'data-web-1']);
  });

  test('go with the scaled-down pods and with the set, where the policy says so', async () => {
    const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
    await create(
      cluster,
      statefulSets,
      statefulSet('web', { replicas: 2, volumeClaimTemplates: claims, persistentVolumeClaimRetentionPolicy }),
    );
    await reach(ready(2));
    await merge(cluster, statefulSets, 'web', { spec: { replicas: 1 } });
    await reach(() => claimNames().length === 1);
    expect(claimNames()).toEqual(['data-web-0']);
    await cluster.client()(statefulSets).namespace('default').delete('web');
    await reach(() => claimNames().length === 0);
  });

  test('keep their data from one pod to the next', async () => {
    cluster.image('app:1', {
      ...quick,
      run: (process) =>
        new Promise(() => process.volume('data').set('runs', `${process.volume('data').get('runs') ?? ''}x`)),
    });
    await create(cluster, statefulSets, statefulSet('web', { replicas: 1, volumeClaimTemplates: claims }));
    await reach(ready(1));
    await cluster.client()(pods).namespace('default').delete('web-0');
    await reach(() => !ready(1)());
    await reach(ready(1));
    const volume = cluster.objects.find(persistentVolumeClaims, 'default', 'data-web-0')?.spec.volumeName ?? '';
    expect(cluster.volumes.ofVolume(volume).get('runs')).toBe('xx');
  });

  test('hold a new pod up while they are being deleted', async () => {
    await create(cluster, statefulSets, statefulSet('web', { replicas: 1, volumeClaimTemplates: claims }));
    await reach(ready(1));
    const uid = cluster.objects.find(persistentVolumeClaims, 'default', 'data-web-0')?.metadata.uid;
    await cluster.client()(persistentVolumeClaims).namespace('default').delete('data-web-0');
    await cluster.advance(10_000);
    expect(claimNames()).toEqual(['data-web-0']);
    await cluster.client()(pods).namespace('default').delete('web-0');
    await reach(() => !ready(1)());
    await reach(ready(1));
    expect(cluster.objects.find(persistentVolumeClaims, 'default', 'data-web-0')?.metadata.uid).not.toBe(uid);
  });
});
