import { pods, secrets, statefulSets } from '@ordinal/client';
import { expect, onTestFinished, test } from 'vitest';
import { bundleOf, leaksIn } from './bundle.ts';
import { pluginWorld } from './plugin-world.ts';
import { changeStore, readyStore, storeNow, stores, until } from './resources.ts';

test('a report has resources, reasons and logs, and none of the secrets that were planted', async () => {
  const world = await pluginWorld();
  onTestFinished(world.stop);
  const { cluster, requests } = world;
  cluster.image('backups:1', {
    run: ({ log }) => {
      log('connects with password=planted-log, then');
      log('-----BEGIN RSA PRIVATE KEY-----\nplanted-key\n-----END RSA PRIVATE KEY-----');
      log('writes to https://backup:planted-url@store.example');
      return 0;
    },
  });
  const at = { namespace: 'shop' };
  await cluster
    .client()(secrets)
    .namespace('shop')
    .create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'account', ...at },
      stringData: { key: 'planted-secret' },
    });
  const env = [{ name: 'AUTH', value: 'planted-env' }];
  const container = { name: 'kvstore', env, args: ['-a', 'planted-arg'] };
  await readyStore(cluster, { podTemplate: { spec: { containers: [container] } } });
  const annotations = {
    'acme.io/note': 'planted-annotation',
    'kubectl.kubernetes.io/last-applied-configuration': '{"x":"planted-applied"}',
    'ordinal.dev/backup': 'first',
  };
  await stores(cluster).patch('carts', { type: 'merge', body: { metadata: { annotations } } });
  await changeStore(cluster, { backup: { job: { image: 'backups:1', command: ['backup', 'planted-command'] } } });
  await until(cluster, 'the backup', () => storeNow(cluster)?.status?.backups?.[0]?.result === 'Succeeded');
  const set = cluster.objects.find(statefulSets, 'shop', 'carts');
  await cluster.client().request('POST', '/apis/events.k8s.io/v1/namespaces/shop/events', {
    body: {
      ...{
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: 'planted', ...at },
        eventTime: '2026-01-01T00:00:00.000000Z',
      },
      ...{
        type: 'Warning',
        reason: 'Planted',
        action: 'Test',
        note: 'token: planted-event',
        reportingController: 'test/x',
        reportingInstance: 'x',
      },
      regarding: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'carts', uid: set?.metadata.uid, ...at },
    },
  });
  const { exitCode, out, files } = await bundleOf(world, 'report kvs/carts --file bundle.tgz');
  expect(exitCode).toBe(0);
  expect(out).toContain('bundle.tgz: ');
  expect([...files.keys()]).toEqual(
    expect.arrayContaining([
      'resources/KVStoreCluster-carts/why.txt',
      'resources/KVStoreCluster-carts/pods.yaml',
      'versions.yaml',
      'not-read.txt',
    ]),
  );
  const job = [...files].find(([, content]) => content.includes('connects with'));
  expect(job?.[0]).toMatch(/^logs\/shop\/.+\.log$/);
  expect(job?.[1]).toContain('connects with password=[hidden]');
  expect(files.get('resources/KVStoreCluster-carts/events.yaml')).toContain('reason: Planted');
  expect(cluster.objects.list(pods, 'shop').some((pod) => JSON.stringify(pod).includes('planted-env'))).toBe(true);
  expect(leaksIn(files)).toEqual([]);
  expect(requests.filter((request) => !request.startsWith('GET ') || request.includes('/secrets'))).toEqual([]);
});

test('a report has what a container has logged before it was restarted, without its secrets', async () => {
  const world = await pluginWorld();
  onTestFinished(world.stop);
  const { cluster } = world;
  let runs = 0;
  cluster.image('crashing:1', {
    run: async ({ log, terminated }) => {
      runs += 1;
      log(`run ${runs}, DB_PASS=planted-crash`);
      if (runs === 1) return 1;
      await new Promise((resolve) => terminated.addEventListener('abort', resolve));
      return 0;
    },
  });
  const container = { name: 'side', image: 'crashing:1' };
  await readyStore(cluster, { replicas: 1, podTemplate: { spec: { containers: [container] } } });
  await until(cluster, 'the second run', () => runs === 2);
  const { files } = await bundleOf(world, 'report kvs/carts --file bundle.tgz');
  expect(files.get('logs/shop/carts-0/side.previous.log')).toBe('run 1, DB_PASS=[hidden]\n');
  expect(files.get('logs/shop/carts-0/side.log')).toBe('run 2, DB_PASS=[hidden]\n');
  expect([...files.keys()].filter((file) => file.endsWith('.previous.log'))).toHaveLength(1);
  expect(leaksIn(files)).toEqual([]);
});
