import { nodes, pods } from '@ordinal/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SimulatedCluster } from '../index.ts';
import type { ImageProgram } from '../index.ts';
import { create, merge, object, statefulSet } from '../../test/objects.ts';
import { statefulSets } from '@ordinal/client';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false, nodes: 2 });
});
afterEach(() => cluster.stop());

const start = async (
  program: ImageProgram,
  container: Record<string, unknown> = {},
  spec: Record<string, unknown> = {},
) => {
  cluster.image('app:1', program);
  await create(
    cluster,
    pods,
    object('v1 Pod', 'app', { spec: { containers: [{ name: 'main', image: 'app:1', ...container }], ...spec } }),
  );
};
const pod = () => cluster.objects.find(pods, 'default', 'app');
const isReady = () =>
  pod()?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
const main = () => pod()?.status?.containerStatuses?.[0];
const secondsUntil = async (until: () => boolean) => {
  const from = cluster.clock.now();
  expect(await cluster.run({ until })).toBe('reached');
  return Math.round((cluster.clock.now() - from) / 1000);
};
const remove = (options = {}) => cluster.client()(pods).namespace('default').delete('app', options);

describe('a container', () => {
  test('that can not be pulled backs off', async () => {
    await start({ pull: 'fail' });
    await cluster.run({ until: () => main()?.state?.waiting?.reason === 'ErrImagePull' });
    await cluster.run({ until: () => main()?.state?.waiting?.reason === 'ImagePullBackOff' });
    expect(pod()?.status?.phase).toBe('Pending');
  });

  test('that ends again and again is restarted ever more slowly', async () => {
    await start({ crash: { afterMs: 1000, exitCode: 2 } });
    await secondsUntil(() => main()?.restartCount === 1);
    expect(await secondsUntil(() => main()?.restartCount === 2)).toBe(11);
    expect(await secondsUntil(() => main()?.restartCount === 3)).toBe(21);
    expect(main()?.lastState?.terminated?.exitCode).toBe(2);
  });

  test('is ready when its probe says so, and no more when it fails three times', async () => {
    let healthy = true;
    const readinessProbe = { httpGet: { path: '/healthz', port: 80 }, initialDelaySeconds: 5, periodSeconds: 2 };
    await start({ http: ({ url }) => (healthy && url.pathname === '/healthz' ? 200 : 500) }, { readinessProbe });
    expect(await secondsUntil(isReady)).toBe(5);
    healthy = false;
    expect(await secondsUntil(() => !isReady())).toBe(6);
  });

  test('is killed and restarted when its liveness probe fails', async () => {
    const livenessProbe = { exec: { command: ['check'] }, periodSeconds: 10, failureThreshold: 2 };
    await start({ exec: (_, { restarts }) => ({ exitCode: restarts === 0 ? 1 : 0 }) }, { livenessProbe });
    await secondsUntil(() => main()?.restartCount === 1);
    await cluster.advance(120_000);
    expect(main()?.restartCount).toBe(1);
  });

  test('is not started before its Secret is there', async () => {
    const env = [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'credentials', key: 'password' } } }];
    let seen = '';
    await start({ run: ({ env: variables }) => new Promise(() => (seen = variables['PASSWORD'] ?? '')) }, { env });
    await cluster.run({ until: () => main()?.state?.waiting?.reason === 'CreateContainerConfigError' });
    const { secrets } = await import('@ordinal/client');
    await create(
      cluster,
      secrets,
      object('v1 Secret', 'credentials', {
        stringData: { password: 'open sesame' },
        data: { password: btoa('open sesame') },
      }),
    );
    await cluster.run({ until: isReady });
    expect(seen).toBe('open sesame');
  });

  test('has variables that name others, but for what two dollars take out', async () => {
    const env = [
      { name: 'FIRST', value: 'one' },
      { name: 'SECOND', value: '$(FIRST) $(THIRD) $$(FIRST) $$$(FIRST) $5' },
    ];
    let seen = '';
    await start({ run: ({ env: variables }) => new Promise(() => (seen = variables['SECOND'] ?? '')) }, { env });
    await cluster.run({ until: isReady });
    expect(seen).toBe('one $(THIRD) $(FIRST) $one $5');
  });
});

describe('a container whose image is changed in place', () => {
  const change = (image: string) => {
    const containers = [{ name: 'main', image }];
    return cluster
      .client()(pods)
      .namespace('default')
      .patch('app', { type: 'strategic', body: { spec: { containers } } });
  };

  test('ends, and runs the other image', async () => {
    await start({ stopsIn: 3000 });
    await cluster.run({ until: isReady });
    cluster.image('app:2', { startsIn: 1000 });
    await change('app:2');
    // The kubelet takes a second until it acts.
    await cluster.advance(500);
    expect(isReady()).toBe(true);
    expect(await secondsUntil(() => main()?.restartCount === 1)).toBe(4);
    expect(main()).toMatchObject({ image: 'app:2', lastState: { terminated: { exitCode: 0 } } });
    expect(await secondsUntil(isReady)).toBe(1);
  });

  test('leaves what kept it from running behind', async () => {
    await start({ pull: 'fail' });
    await cluster.run({ until: () => main()?.state?.waiting?.reason === 'ImagePullBackOff' });
    cluster.image('app:2', {});
    await change('app:2');
    expect(await secondsUntil(isReady)).toBe(0);
    expect(main()?.restartCount).toBe(0);
  });
});

describe('a pod that is deleted', () => {
  test('gets its preStop hook, then SIGTERM, then SIGKILL when its grace is over', async () => {
    const happened: string[] = [];
    const program: ImageProgram = {
      exec: ([command]) => {
        happened.push(command ?? '');
        return { exitCode: 0 };
      },
      terminate: () => void happened.push('SIGTERM'),
      stopsIn: 4000,
    };
    await start(program, { lifecycle: { preStop: { exec: { command: ['hand-over'] } } } });
    await cluster.run({ until: isReady });
    await remove();
    expect(await secondsUntil(() => pod() === undefined)).toBe(4);
    expect(happened).toEqual(['hand-over', 'SIGTERM']);
  });

  test('is killed when it does not listen to SIGTERM', async () => {
    await start({ stopsIn: 'never' }, {}, { terminationGracePeriodSeconds: 20 });
    await cluster.run({ until: isReady });
    await remove();
    expect(await secondsUntil(() => pod() === undefined)).toBe(20);
  });

  test('loses its process although a finalizer keeps the object (kubernetes#73584)', async () => {
    cluster.image('app:1', {});
    await create(
      cluster,
      pods,
      object(
        'v1 Pod',
        'app',
        { spec: { containers: [{ name: 'main', image: 'app:1' }] } },
        { finalizers: ['example.com/hold'] },
      ),
    );
    await cluster.run({ until: isReady });
    await remove();
    await cluster.advance(60_000);
    expect(pod()?.metadata.deletionTimestamp).toBeDefined();
    expect(cluster.process('default', 'app')).toBeUndefined();
  });
});

describe('a node', () => {
  const web = () => cluster.objects.find(pods, 'default', 'web-0');

  test('that is lost leaves its pods not ready after 40 s, and terminating forever after 5 minutes', async () => {
    await create(cluster, statefulSets, statefulSet('web', { replicas: 1 }));
    await cluster.run({
      until: () => cluster.objects.find(statefulSets, 'default', 'web')?.status?.readyReplicas === 1,
    });
    const node = cluster.node(web()?.spec.nodeName ?? '');
    node.fail('power');
    expect(
      await secondsUntil(
        () => cluster.objects.find(nodes, '', node.name)?.status?.conditions?.[0]?.status === 'Unknown',
      ),
    ).toBe(40);
    expect(await secondsUntil(() => web()?.metadata.deletionTimestamp !== undefined)).toBe(300);
    const { uid } = web()?.metadata ?? { uid: '' };
    await cluster.advance(3_600_000);
    expect(web()?.metadata.uid).toBe(uid);
    node.recover();
    await cluster.run({ until: () => web()?.metadata.uid !== uid && web()?.status?.phase === 'Running' });
    expect(web()?.status?.phase).toBe('Running');
  });

  test('ends a pod that was deleted before the node first saw it', async () => {
    const node = cluster.node('node-1');
    node.fail('partition');
    await start({}, {}, { nodeName: 'node-1' });
    await remove();
    await cluster.advance(10_000);
    expect(pod()?.metadata.deletionTimestamp).toBeDefined();
    node.recover();
    await cluster.run({ until: () => pod() === undefined, maxVirtualMs: 60_000 });
    expect(pod()).toBeUndefined();
  });

  test('takes no pods while it is cordoned', async () => {
    await cluster
      .client()(nodes)
      .cluster()
      .patch('node-1', { type: 'merge', body: { spec: { unschedulable: true } } });
    await start({});
    await cluster.run({ until: isReady });
    expect(pod()?.spec.nodeName).toBe('node-2');
  });
});

test('init containers run one after the other, before the others', async () => {
  const order: string[] = [];
  for (const name of ['first', 'second']) {
    cluster.image(name, {
      run: () => {
        order.push(name);
        return 0;
      },
    });
  }
  await start(
    { run: () => new Promise(() => order.push('main')) },
    {},
    { initContainers: ['first', 'second'].map((image) => ({ name: image, image })) },
  );
  await cluster.run({ until: isReady });
  expect(order).toEqual(['first', 'second', 'main']);
});

describe('a pod', () => {
  test('that is active for longer than it may be fails, and its containers are terminated', async () => {
    let signals = 0;
    await start(
      {
        run: ({ terminated }) =>
          new Promise((resolve) => terminated.addEventListener('abort', () => resolve(++signals))),
      },
      {},
      { activeDeadlineSeconds: 30, restartPolicy: 'Never' },
    );
    expect(await secondsUntil(() => pod()?.status?.phase === 'Failed')).toBe(30);
    expect(pod()?.status).toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
    expect(signals).toBe(1);
    expect(pod()?.metadata.deletionTimestamp).toBeUndefined();
  });

  test('has its deadline from the time it was given one', async () => {
    await start({}, {}, { activeDeadlineSeconds: 3600 });
    await secondsUntil(isReady);
    await merge(cluster, pods, 'app', { spec: { activeDeadlineSeconds: 60 } });
    expect(await secondsUntil(() => pod()?.status?.phase === 'Failed')).toBeLessThanOrEqual(60);
  });

  test('says which of its generations the node has seen', async () => {
    await start({});
    await secondsUntil(isReady);
    expect(pod()?.status).toMatchObject({ observedGeneration: 1 });
    const tolerations = [...(pod()?.spec.tolerations ?? []), { key: 'more', operator: 'Exists' }];
    await merge(cluster, pods, 'app', { spec: { tolerations } });
    expect(pod()?.metadata.generation).toBe(2);
    await cluster.advance(1000);
    expect(pod()?.status).toMatchObject({ observedGeneration: 2 });
  });

  test('shows what its init containers have come to, and what waits for them', async () => {
    cluster.image('init:1', { run: () => 0, startsIn: 2000 });
    const initContainers = ['first', 'second'].map((name) => ({ name, image: 'init:1' }));
    await start({}, {}, { initContainers });
    const init = () => pod()?.status?.initContainerStatuses ?? [];
    await secondsUntil(() => init()[0]?.state?.running !== undefined);
    expect(init()[1]?.state?.waiting?.reason).toBe('PodInitializing');
    expect(main()?.state?.waiting?.reason).toBe('PodInitializing');
    await secondsUntil(() => init()[1]?.state?.running !== undefined);
    expect(init()[0]).toMatchObject({ ready: true, state: { terminated: { exitCode: 0, reason: 'Completed' } } });
    const initialized = () => pod()?.status?.conditions?.find(({ type }) => type === 'Initialized');
    expect(initialized()?.message).toBe('containers with incomplete status: [second]');
    await secondsUntil(isReady);
    expect(init().map(({ ready }) => ready)).toEqual([true, true]);
    expect(initialized()?.status).toBe('True');
  });

  test('that names its node counts as scheduled', async () => {
    await start({}, {}, { nodeName: 'node-2' });
    await secondsUntil(isReady);
    expect(pod()?.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.status).toBe('True');
  });

  test('that waits for a gate of its scheduling says so, and is bound when the gate is gone', async () => {
    await start({}, {}, { schedulingGates: [{ name: 'example.com/wait' }] });
    await cluster.advance(60_000);
    expect(pod()?.spec.nodeName).toBeUndefined();
    expect(pod()?.status?.conditions).toMatchObject([{ type: 'PodScheduled', reason: 'SchedulingGated' }]);
    await merge(cluster, pods, 'app', { spec: { schedulingGates: null } });
    await secondsUntil(isReady);
  });

  test('goes where its node gets a taint with NoExecute, at once or when it no longer tolerates it', async () => {
    const own = { key: 'maintenance', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 120 };
    await start({}, {}, { nodeName: 'node-1', tolerations: [own] });
    const other = object('v1 Pod', 'other', {
      spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'app:1' }] },
    });
    await create(cluster, pods, other);
    await secondsUntil(isReady);
    const taints = [{ key: 'maintenance', effect: 'NoExecute' }];
    await cluster
      .client()(nodes)
      .cluster()
      .patch('node-1', { type: 'merge', body: { spec: { taints } } });
    const find = (name: string) => cluster.objects.find(pods, 'default', name);
    expect(await secondsUntil(() => find('other') === undefined)).toBe(0);
    expect(await secondsUntil(() => find('app') === undefined)).toBe(120);
    await create(cluster, pods, other);
    expect(await secondsUntil(() => find('other')?.metadata.deletionTimestamp !== undefined)).toBe(0);
    const why = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' };
    expect(find('other')?.status?.conditions).toContainEqual(expect.objectContaining(why));
  });
});
