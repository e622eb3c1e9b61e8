import { deployments, pods, services } from '@ordinal/client';
import { clusteredCaches } from '@ordinal/api';
import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, onTestFinished, test } from 'vitest';
import { bundleOf, leaksIn } from './bundle.ts';
import { pluginWorld } from './plugin-world.ts';
import { caches, readyCache, until } from './resources.ts';

const namespace = 'ordinal-system';
const labels = { 'app.kubernetes.io/name': 'ordinal-operator' };

/** What an operator may log of a service that it talks to. */
const logLines = [
  JSON.stringify({ level: 'error', msg: 'refused: {"password":"planted-body","user":"app"}' }),
  JSON.stringify({ level: 'warn', msg: 'POST https://app:planted-url@monitor.example: 401', token: 'planted-field' }),
  JSON.stringify({ level: 'warn', msg: 'POST https://planted-user@hooks.example: 401' }),
  JSON.stringify({ level: 'info', msg: 'sent', headers: { Authorization: 'planted-header' } }),
  JSON.stringify({
    level: 'info',
    msg: 'read',
    data: { key: '-----BEGIN EC PRIVATE KEY-----\nplanted-key\n-----END' },
  }),
  'panic: dial with token="planted-panic"',
];

const metrics = [
  '# HELP calls_total Calls of services.',
  'calls_total{endpoint="https://app:planted-metric@monitor.example",code="401"} 3',
  'calls_total{token="planted-label"} 1',
];

/** The installed operator: a pod that logs, serves its metrics and says why it is not ready, and its Deployment. */
async function installOperator(cluster: SimulatedCluster): Promise<void> {
  const annotations = { 'acme.io/note': 'planted-operator-annotation' };
  const spec = {
    containers: [
      {
        ...{ name: 'operator', image: 'operator:1', args: ['--api-key', 'planted-argument'] },
        env: [{ name: 'AWS_SECRET_ACCESS_KEY', value: 'planted-variable' }],
        livenessProbe: {
          httpGet: { path: '/healthz', port: 8081, httpHeaders: [{ name: 'Authorization', value: 'planted-probe' }] },
        },
      },
    ],
  };
  cluster.image('operator:1', {
    run: async ({ log, terminated }) => {
      for (const line of logLines) log(line);
      await new Promise((resolve) => terminated.addEventListener('abort', resolve));
      return 0;
    },
    http: ({ url }) => {
      if (url.pathname === '/metrics') return { status: 200, body: metrics.join('\n') };
      if (url.pathname === '/readyz') return { status: 200, body: 'watch: GET https://x:planted-ready@api.example' };
      return 200;
    },
  });
  const client = cluster.client();
  await client.request('POST', '/api/v1/namespaces', {
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  });
  const metadata = { name: 'ordinal-operator', namespace, labels, annotations };
  const template = { metadata: { labels, annotations }, spec };
  await client(deployments)
    .namespace(namespace)
    .create({
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
      spec: { selector: { matchLabels: labels }, template },
    });
  await client(pods)
    .namespace(namespace)
    .create({ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'ordinal-operator-0' }, spec });
  const isReady = () => cluster.objects.find(pods, namespace, 'ordinal-operator-0')?.status?.phase === 'Running';
  await until(cluster, 'the operator runs', isReady);
}

/** A Service and a budget of the namespace, of other tools. */
async function plantBeside(cluster: SimulatedCluster): Promise<void> {
  const annotations = {
    'acme.io/webhook': 'planted-service-annotation',
    'service.beta.kubernetes.io/acme-load-balancer-token': 'planted-cloud-annotation',
    'external-dns.alpha.kubernetes.io/target': 'https://dns:planted-target@dns.example',
    'kubectl.kubernetes.io/last-applied-configuration': '{"x":"planted-applied"}',
  };
  await cluster
    .client()(services)
    .namespace('shop')
    .create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'front', annotations },
      spec: { ports: [{ port: 80 }] },
    });
}

const statusMessages = [
  'create Job x: admission webhook "policy" denied: password=planted-message',
  'Unreachable: GET https://app:planted-reason@cloud.example: 500',
];

test('of each place that a bundle has, what was planted is not in it', async () => {
  const world = await pluginWorld();
  onTestFinished(world.stop);
  const { cluster, requests } = world;
  await readyCache(cluster, {
    podTemplate: {
      metadata: { annotations: { 'acme.io/pod': 'planted-pod-annotation' } },
      spec: {
        containers: [
          {
            ...{ name: 'cache', command: ["sh -c 'run -a planted-word'", 'planted-second'] },
            lifecycle: {
              preStop: { httpGet: { port: 6379, httpHeaders: [{ name: 'X-Key', value: 'planted-hook' }] } },
            },
          },
        ],
        volumes: [{ name: 'v', csi: { driver: 'csi.example', volumeAttributes: { apiKey: 'planted-volume' } } }],
      },
    },
  });
  world.operator.crash();
  const resource = await caches(cluster).get('sessions');
  const conditions = resource.status?.conditions?.map((condition, index) => ({
    ...condition,
    message: statusMessages[index % statusMessages.length] ?? '',
  }));
  await cluster
    .client()(clusteredCaches)
    .namespace('shop')
    .status.patch('sessions', { type: 'merge', body: { status: { conditions } } });
  await installOperator(cluster);
  await plantBeside(cluster);

  const { exitCode, files } = await bundleOf(world, 'report --file bundle.tgz');
  expect(exitCode).toBe(0);
  // Each place is there, with what stands beside the secret.
  for (const [file, beside] of [
    [`logs/${namespace}/ordinal-operator-0/operator.log`, 'monitor.example'],
    ['operator/ordinal-operator-0/metrics.txt', 'calls_total'],
    ['operator/ordinal-operator-0/readyz.txt', 'api.example'],
    ['operator/pods.yaml', 'operator:1'],
    ['versions.yaml', 'image: operator:1'],
    ['operator/deployments.yaml', 'operator:1'],
    ['namespace/services.yaml', 'acme.io/webhook'],
    ['resources/ClusteredCache-sessions/resource.yaml', 'admission webhook'],
    ['resources/ClusteredCache-sessions/status.txt', 'ClusteredCache'],
    ['resources/ClusteredCache-sessions/why.txt', 'ClusteredCache'],
    ['resources/ClusteredCache-sessions/workload.yaml', 'csi.example'],
    ['resources/ClusteredCache-sessions/pods.yaml', 'csi.example'],
  ] as const)
    expect(files.get(file), file).toContain(beside);
  expect(leaksIn(files)).toEqual([]);
  expect(requests.filter((request) => !request.startsWith('GET ') || request.includes('/secrets'))).toEqual([]);
});
