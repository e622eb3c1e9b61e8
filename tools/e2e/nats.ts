import { NatsStore } from '../../libs/recipes/src/index.ts';
import { inChart } from './redis.ts';
import { onTheNode, root, type StoreNow } from './stores.ts';

/** The images that the scenario runs: NATS of two Debian releases, which have no shell, and the shell. */
export const natsImages = {
  repository: 'docker.io/e2e/nats',
  before: '2.10',
  after: '2.15',
  shell: 'docker.io/e2e/busybox:1',
} as const;

/** The Secret with the accounts. */
export const natsAccounts = (namespace: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'accounts', namespace },
  stringData: {
    'system-password': 'e2e-system',
    'accounts.conf': 'APP: { jetstream: enabled, users: [ { user: app, password: app } ] }',
  },
});

/** A KVStoreCluster of NATS, and its scripts. */
export function natsStore(
  namespace: string,
  { name, version, replicas = 3, settings = {} }: StoreNow,
): readonly object[] {
  return inChart(namespace, (chart) => {
    const { resource } = new NatsStore(chart, name, {
      ...{ name, version, replicas, settings },
      image: natsImages.repository,
      shellImage: natsImages.shell,
      storage: { className: 'standard', size: '1Gi' },
      auth: { secretName: 'accounts' },
    });
    resource.addJsonPatch(...onTheNode(root, ['/spec/podTemplate']));
  });
}
