import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '@ordinal/client';
import type { Transport } from '@ordinal/client';
import { SimulatedCluster } from '@ordinal/simulator';
import type { Identity, ImageProgram } from '@ordinal/simulator';
import { names } from '../samples.ts';
import type { DemoCluster } from '../stage.ts';
import { listenOn } from './front.ts';
import { applyAll, installationFor } from './installation.ts';
import { Leadership } from './leadership.ts';

const namespace = 'ordinal-demo';
/** No token: kubectl sends none over plain HTTP. Anyone who reaches the loopback address is the cluster's administrator. */
const userToken = '';
const operatorToken = 'operator';

/** The operator in a pod has this identity, and its permissions are those of the install manifest. */
const operatorIdentity: Identity = {
  name: `system:serviceaccount:${namespace}:ordinal-operator`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
};

const rbac = 'rbac.authorization.k8s.io';

/** What every real cluster has from its start: any user that is authenticated may ask what they may do. */
const basicUser: readonly object[] = [
  {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'system:basic-user' },
    rules: [
      {
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
        verbs: ['create'],
      },
    ],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'system:basic-user' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'system:basic-user' },
    subjects: [{ apiGroup: rbac, kind: 'Group', name: 'system:authenticated' }],
  },
];

/** A cluster in this process that keeps to the wall clock and serves HTTP. Permissions are checked. */
export async function startSimulated(folder: string): Promise<DemoCluster> {
  const { definitions, access } = installationFor(namespace);
  const cluster = await SimulatedCluster.start({ crds: definitions, pace: 1, namespaces: [namespace], rbac: true });
  const gate = { isClosed: false };
  const leadership = new Leadership(cluster.client(), namespace);
  installImages(cluster, { gate, leadership });
  void cluster.keepRunning();
  await applyAll(cluster.client(), [...basicUser, ...access]);
  const transports = new Map<string, Transport>([
    [userToken, cluster.transport()],
    [operatorToken, cluster.transport(operatorIdentity)],
  ]);
  const front = await listenOn((token) => transports.get(token));
  const kubeconfig = (name: string, token: string): string => {
    const file = join(folder, `${name}.kubeconfig`);
    writeFileSync(file, kubeconfigText(front.url, token), { mode: 0o600 });
    return file;
  };
  return {
    title: 'a simulated cluster that serves HTTP',
    kubeconfig: kubeconfig('user', userToken),
    operatorKubeconfig: kubeconfig('operator', operatorToken),
    surroundings: {
      namespace,
      storageClass: 'standard',
      cache: ['my-cache:1.0.0', 'my-cache:2.0.0'],
      store: { image: 'my-repo/kvstore', before: '1.0', after: '2.0' },
      analysis: { image: 'my-repo/analysis:1', command: ['compare-error-rate', '--at-most', '1%'] },
      databaseImage: 'postgres:17',
      hasRoles: true,
    },
    setGate: async (state) => {
      gate.isClosed = state === 'closed';
      return Promise.resolve();
    },
    async close() {
      leadership.close();
      cluster.stop();
      await front.close();
    },
  };
}

/** A kubeconfig, as JSON, which is YAML. Loaders that know client certificates need a flag where the server has no certificate to verify. */
function kubeconfigText(server: string, token: string): string {
  const name = 'simulated';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user: token === '' ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    'current-context': name,
  });
}

/** The programs that the images run: in a simulated cluster an image is a function. */
function installImages(
  cluster: SimulatedCluster,
  { gate, leadership }: { readonly gate: { readonly isClosed: boolean }; readonly leadership: Leadership },
): void {
  const cache: ImageProgram = {
    startsIn: 800,
    stopsIn: 600,
    http: async ({ url }, { pod }) => {
      if (url.pathname === '/hand-over') await leadership.handOver(pod);
      const isBehind = gate.isClosed && url.pathname === '/ready-for-shutdown' && pod === names.lagging;
      return isBehind ? { status: 503, body: 'replication is 4 s behind' } : 200;
    },
  };
  for (const version of ['1.0.0', '2.0.0']) cluster.image(`my-cache:${version}`, cache);
  for (const [version, errorRate] of [
    ['1.0', 0.2],
    ['2.0', 12],
  ] as const)
    cluster.image(`my-repo/kvstore:${version}`, {
      startsIn: 500,
      stopsIn: 300,
      http: () => ({ status: 200, body: String(errorRate) }),
    });
  cluster.image('my-repo/analysis:1', {
    run: async ({ clock, env, fetch, log }) => {
      // A judge watches a canary for a while.
      await sleep(clock, 3_000);
      const reply = await fetch(`http://${env['ORDINAL_POD_IP'] ?? ''}:8080/error-rate`);
      const percent = Number(await reply.text());
      log(`${env['ORDINAL_POD'] ?? ''} answers ${percent} % of its requests with errors; 1 % may be`);
      return percent > 1 ? 1 : 0;
    },
  });
  cluster.image('postgres:17', { startsIn: 700, stopsIn: 300 });
}
