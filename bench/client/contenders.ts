import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  configMaps,
  createClient,
  httpTransport,
  inClusterServer,
  pods,
  withoutManagedFields,
  type ApiServer,
  type HttpTransportOptions,
  type ListOptions,
} from '@ordinal/client';

/** What each contender must be able to do. */
export interface Contender {
  get(name: string): Promise<unknown>;
  /** Creates an object of this name. */
  create(name: string): Promise<unknown>;
  /** Reads all pods; gives their number. */
  list(): Promise<number>;
  /** Reads a watch's initial events to their end; gives their number. */
  watch(): Promise<number>;
  close(): Promise<void>;
}

/** The namespace that the benchmark writes in. */
export const namespace = 'client-bench';
const data = { value: 'x'.repeat(1000) };

/** As in a pod, where a token and a CA lie beside the kubeconfig, as tools/cluster puts them there; of the kubeconfig otherwise. */
export async function apiServer(kubeconfig: string): Promise<ApiServer> {
  const directory = dirname(kubeconfig);
  const address = /server: https:\/\/(\S+):(\d+)/.exec(readFileSync(kubeconfig, 'utf8'));
  if (address !== null && existsSync(join(directory, 'token')) && existsSync(join(directory, 'ca.crt'))) {
    return inClusterServer({ host: address[1] ?? '', port: address[2] ?? '', directory });
  }
  const { kubeconfigServer } = await import('@ordinal/client/kubeconfig');
  return kubeconfigServer({ files: [kubeconfig] });
}

const ordinal =
  (options: HttpTransportOptions, list: ListOptions = {}) =>
  async (kubeconfig: string): Promise<Contender> => {
    const client = createClient({ transport: httpTransport(await apiServer(kubeconfig), options) });
    return {
      get: (name) => client(pods).namespace(namespace).get(name),
      create: (name) =>
        client(configMaps)
          .namespace(namespace)
          .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }),
      list: async () => (await client(pods).namespace(namespace).list(list)).items.length,
      async watch() {
        let count = 0;
        for await (const { type } of client(pods).namespace(namespace).watch({ sendInitialEvents: true })) {
          if (type === 'BOOKMARK') break;
          count += 1;
        }
        return count;
      },
      close: () => client.close(),
    };
  };

async function clientNode(kubeconfig: string): Promise<Contender> {
  const { CoreV1Api, KubeConfig, Watch } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  return {
    get: (name) => api.readNamespacedPod({ namespace, name }),
    create: (name) => api.createNamespacedConfigMap({ namespace, body: { metadata: { name }, data } }),
    list: async () => (await api.listNamespacedPod({ namespace })).items.length,
    watch: () =>
      new Promise((resolve, reject) => {
        let count = 0;
        const query = { sendInitialEvents: true, allowWatchBookmarks: true, resourceVersionMatch: 'NotOlderThan' };
        const watching = new Watch(config).watch(
          `/api/v1/namespaces/${namespace}/pods`,
          query,
          (type) => {
            if (type !== 'BOOKMARK') count += 1;
            else void watching.then((controller) => controller.abort()).then(() => resolve(count), reject);
          },
          () => undefined,
        );
        watching.catch(reject);
      }),
    close: () => Promise.resolve(),
  };
}

/** By the name that the table shows. */
export const contenders: Readonly<Record<string, (kubeconfig: string) => Promise<Contender>>> = {
  ordinal: ordinal({}),
  'ordinal (one page, no managedFields)': ordinal({}, { limit: 0, project: withoutManagedFields }),
  'ordinal (gzip)': ordinal({ compression: true }),
  'client-node 2.0.1': clientNode,
};
