import { endpointSlices, podDisruptionBudgets, pods, services, statefulSets } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../index.ts';
import { create, object, statefulSet } from '../../test/objects.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false });
  cluster.image('app:1', {
    startsIn: 100,
    http: ({ url }, { pod }) => ({ status: 200, body: `${pod} ${url.pathname}` }),
  });
  await create(
    cluster,
    services,
    object('v1 Service', 'web', {
      spec: { clusterIP: 'None', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
    }),
  );
  await create(cluster, statefulSets, statefulSet('web', { replicas: 2 }));
  await cluster.run({ until: () => cluster.objects.find(statefulSets, 'default', 'web')?.status?.readyReplicas === 2 });
});
afterEach(() => cluster.stop());

const get = (url: string) => cluster.play(async () => (await cluster.http(url)).text());

test('pods are found by address, by name and through their service', async () => {
  const ip = cluster.objects.find(pods, 'default', 'web-1')?.status?.podIP ?? '';
  expect(await get(`http://${ip}:8080/a`)).toBe('web-1 /a');
  expect(await get('http://web-0.web.default.svc.cluster.local/b')).toBe('web-0 /b');
  expect(await get('http://web.default.svc/c')).toMatch(/^web-[01] \/c$/);
});

test('an unknown host, and a pod that does not run, are failures below HTTP', async () => {
  await expect(get('http://nowhere.example/')).rejects.toThrow('fetch failed');
  const ip = cluster.objects.find(pods, 'default', 'web-0')?.status?.podIP ?? '';
  cluster.process('default', 'web-0')?.kill();
  await expect(get(`http://${ip}/`)).rejects.toThrow('fetch failed');
});

test('external services answer, and network faults refuse, hang, answer otherwise or lose the reply', async () => {
  let calls = 0;
  cluster.external('http://monitor.example', ({ method, body }) => {
    calls += 1;
    return { status: 201, body: `${method} ${body}` };
  });
  const post = () =>
    cluster.play(
      async () => (await cluster.http('http://monitor.example/x', { method: 'POST', body: 'hello' })).text(),
      60_000,
    );
  expect(await post()).toBe('POST hello');
  const lose = cluster.network.hook(() => ({ loseReply: true }));
  await expect(post()).rejects.toThrow('fetch failed');
  expect(calls).toBe(2);
  lose();
  const hang = cluster.network.hook(() => ({ hang: true }));
  await expect(post()).rejects.toThrow('did not end within 60 s');
  hang();
  cluster.network.hook(() => ({ status: 503 }));
  expect(await cluster.play(async () => (await cluster.http('http://monitor.example/')).status)).toBe(503);
  expect(calls).toBe(2);
});

test('slices list the pods of a service, and whether they are ready', async () => {
  await cluster.advance(100);
  const endpoints = cluster.objects.list(endpointSlices, 'default')[0]?.endpoints ?? [];
  expect(endpoints.map(({ hostname, conditions }) => [hostname, conditions?.ready])).toEqual([
    ['web-0', true],
    ['web-1', true],
  ]);
});

test('a budget lets as many pods be evicted as it can spare', async () => {
  await create(
    cluster,
    podDisruptionBudgets,
    object('policy/v1 PodDisruptionBudget', 'web', {
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    }),
  );
  await cluster.advance(100);
  expect(cluster.objects.find(podDisruptionBudgets, 'default', 'web')?.status).toMatchObject({
    disruptionsAllowed: 1,
    expectedPods: 2,
    desiredHealthy: 1,
  });
  const client = cluster.client();
  const evict = (pod: string) => cluster.play(() => client.pods.evict({ namespace: 'default', pod }), 1000);
  await evict('web-0');
  await cluster.advance(50);
  const refused = cluster.server.execute({
    verb: 'create',
    resource: pods,
    namespace: 'default',
    name: 'web-1',
    subresource: 'eviction',
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web-1', namespace: 'default' } },
  });
  expect(refused.status).toBe(429);
});

test('without EndpointSlices, a Service leads to the pods that it selects, by the names of their ports', async () => {
  const bare = await SimulatedCluster.start({ events: false, endpoints: false });
  bare.image('app:1', { http: ({ url }, { pod }) => ({ status: 200, body: `${pod} ${url.port}` }) });
  const ports = [{ name: 'web', containerPort: 8080 }];
  const spec = { containers: [{ name: 'main', image: 'app:1', ports }] };
  await create(bare, pods, object('v1 Pod', 'a', { spec }, { labels: { app: 'a' } }));
  await create(
    bare,
    services,
    object('v1 Service', 'a', { spec: { selector: { app: 'a' }, ports: [{ port: 80, targetPort: 'web' }] } }),
  );
  await bare.advance(1000);
  expect(await bare.play(async () => (await bare.http('http://a.default/')).text())).toBe('a 8080');
  bare.stop();
});
