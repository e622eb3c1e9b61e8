import { readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client, KubernetesObjectInput } from '@ordinal/client';
import { createClient, httpTransport, isApiError } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { parse } from 'yaml';
import { cachePort, names } from '../samples.ts';
import type { DemoCluster } from '../stage.ts';
import { applyAll, installationFor, pathOf } from './installation.ts';

const namespace = 'ordinal-demo';
const goneWithinMs = 120_000;

/**
 * The cluster of the current kubeconfig. The definitions and a namespace with the operator's permissions are put there, and taken off again at the end, but for
 * definitions that were there before. Rejects where the operator is installed already: two would work on the same resources.
 */
export async function startReal(folder: string, images: string): Promise<DemoCluster> {
  const kubeconfig = (process.env['KUBECONFIG'] ?? '').split(':')[0] || join(homedir(), '.kube', 'config');
  const [before, after] = imagesOf(images);
  const server = await kubeconfigServer({ files: [kubeconfig] });
  const transport = httpTransport(server);
  const client = createClient({ transport, userAgent: 'ordinal-demo', fieldManager: 'ordinal-demo' });
  await refuseOthers(client);
  const { definitions, access } = installationFor(namespace);
  const made = await missing(client, definitions);
  const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await applyAll(client, [space, ...definitions, ...access]);
  await untilServed(client, definitions);
  const storageClass = await defaultStorageClass(client);
  const memberOf = (path: string): string =>
    `/api/v1/namespaces/${namespace}/pods/${names.lagging}:${cachePort}/proxy${path}`;
  return {
    title: `the cluster ${server.url}`,
    kubeconfig,
    operatorKubeconfig: await operatorKubeconfig(client, { kubeconfig, folder }),
    surroundings: {
      namespace,
      storageClass,
      cache: [before.whole, after.whole],
      store: { image: before.repository, before: before.tag, after: after.tag },
      analysis: { image: before.whole, command: ['node', '-e', analysis(after.tag)] },
      databaseImage: before.whole,
      commands: { cache: serve(cachePort), store: serve(8080), monitored: serve(8080) },
    },
    setGate: async (state) => void (await client.request('GET', memberOf(`/gate/${state}`))),
    async close() {
      const clusterWide = access.filter(({ kind }) => kind.startsWith('Cluster'));
      for (const object of [space, ...clusterWide, ...made]) await remove(client, object);
      await untilGone(client, [space, ...made]);
      await transport.close();
    },
  };
}

interface Image {
  readonly whole: string;
  readonly repository: string;
  readonly tag: string;
}

function imagesOf(text: string): readonly [Image, Image] {
  const [before, after] = text.split(',').map((whole): Image => {
    const [, repository = '', tag = ''] = /^(.+):([^:/]+)$/.exec(whole) ?? [];
    return { whole, repository, tag };
  });
  if (!before?.tag || !after?.tag || before.repository !== after.repository)
    throw new Error(
      `--images names two tags of one repository, such as node:22-alpine,node:24-alpine, and not ${text}`,
    );
  return [before, after];
}

/** A member's program: it answers, and says that it lags behind after a request to `/gate/closed`. */
function serve(port: number): readonly string[] {
  const program = `let closed = false;
require('node:http').createServer(({ url }, reply) => {
  if (url.startsWith('/gate/')) {
    closed = url === '/gate/closed';
    return reply.end(JSON.stringify({ closed }));
  }
  const behind = closed && url === '/ready-for-shutdown';
  reply.writeHead(behind ? 503 : 200).end(behind ? 'replication is 4 s behind' : 'ok');
}).listen(${port});
process.on('SIGTERM', () => setTimeout(() => process.exit(0), 500));`;
  return ['node', '-e', program];
}

/** A judge that finds one version bad: here both versions are the same program. */
const analysis = (bad: string): string =>
  `const { ORDINAL_TARGET_VERSION: version, ORDINAL_POD: pod = 'the canary' } = process.env;
const percent = version === ${JSON.stringify(bad)} ? 12 : 0.2;
console.log(pod + ' answers ' + percent + ' % of its requests with errors; 1 % may be');
process.exit(percent > 1 ? 1 : 0);`;

interface List {
  readonly items: readonly {
    readonly metadata: {
      readonly name: string;
      readonly namespace?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
  }[];
}

async function refuseOthers(client: Client): Promise<void> {
  const path = '/apis/apps/v1/deployments?labelSelector=app.kubernetes.io%2Fname%3Dordinal-operator';
  const [found] = ((await client.request('GET', path)) as List).items; // A list's reply.
  if (found)
    throw new Error(
      `the operator is installed in this cluster already, in namespace ${found.metadata.namespace ?? ''}: two would work on the same resources. Uninstall it, or choose another cluster`,
    );
  if (await exists(client, `/api/v1/namespaces/${namespace}`))
    throw new Error(`the namespace ${namespace} is there already: delete it if it is a former demo's`);
}

async function exists(client: Client, path: string): Promise<boolean> {
  try {
    await client.request('GET', path);
    return true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}

async function missing(
  client: Client,
  objects: readonly KubernetesObjectInput[],
): Promise<readonly KubernetesObjectInput[]> {
  const there = await Promise.all(objects.map((object) => exists(client, pathOf(object))));
  return objects.filter((_, index) => !there[index]);
}

async function untilServed(client: Client, definitions: readonly KubernetesObjectInput[]): Promise<void> {
  for (const definition of definitions) {
    // A definition of ours has one version.
    const { group, names: of, versions } = (definition as unknown as Definition).spec;
    const path = `/apis/${group}/${versions[0].name}/namespaces/${namespace}/${of.plural}`;
    while (!(await exists(client, path))) await pause(100);
  }
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly [{ readonly name: string }];
  };
}

async function defaultStorageClass(client: Client): Promise<string> {
  const { items } = (await client.request('GET', '/apis/storage.k8s.io/v1/storageclasses')) as List; // A list's reply.
  const isDefault = 'storageclass.kubernetes.io/is-default-class';
  const found = items.find(({ metadata }) => metadata.annotations?.[isDefault] === 'true') ?? items[0];
  if (!found) throw new Error('this cluster has no storage class, and the demo needs volumes');
  return found.metadata.name;
}

/** A kubeconfig for the same server with a token of the operator's own service account, so that its permissions are those of the install manifest. */
async function operatorKubeconfig(
  client: Client,
  { kubeconfig, folder }: { readonly kubeconfig: string; readonly folder: string },
): Promise<string> {
  const text = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig; // The client has read it before.
  const context = text.contexts.find(({ name }) => name === text['current-context'])?.context;
  const found = text.clusters.find(({ name }) => name === context?.cluster)?.cluster ?? {};
  const authority = found['certificate-authority'];
  const cluster = {
    ...found,
    ...(authority !== undefined && { 'certificate-authority': resolve(dirname(kubeconfig), authority) }),
  };
  const reply = (await client.request(
    'POST',
    `/api/v1/namespaces/${namespace}/serviceaccounts/ordinal-operator/token`,
    { body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } } },
  )) as { readonly status: { readonly token: string } }; // The reply to a request is the request with its status.
  const name = 'operator';
  const file = join(folder, 'operator.kubeconfig');
  const own = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user: { token: reply.status.token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    'current-context': name,
  };
  writeFileSync(file, JSON.stringify(own), { mode: 0o600 });
  return file;
}

interface Kubeconfig {
  readonly 'current-context': string;
  readonly contexts: readonly { readonly name: string; readonly context: { readonly cluster: string } }[];
  readonly clusters: readonly {
    readonly name: string;
    readonly cluster: { readonly 'certificate-authority'?: string };
  }[];
}

async function remove(client: Client, object: KubernetesObjectInput): Promise<void> {
  await client.request('DELETE', pathOf(object)).catch((error: unknown) => {
    if (!isApiError(error, 'NotFound')) throw error;
  });
}

async function untilGone(client: Client, objects: readonly KubernetesObjectInput[]): Promise<void> {
  const late = Date.now() + goneWithinMs;
  for (const object of objects) {
    while (await exists(client, pathOf(object))) {
      if (Date.now() > late)
        throw new Error(
          `${object.kind} ${object.metadata.name ?? ''} does not go: look at what is in the namespace ${namespace}, and delete it by hand`,
        );
      await pause(250);
    }
  }
}
