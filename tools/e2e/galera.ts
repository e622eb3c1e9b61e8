import { JsonPatch } from 'cdk8s';
import { GaleraStore } from '../../libs/recipes/src/index.ts';
import { inChart } from './redis.ts';
import { asUser, shellImage, type StoreNow } from './stores.ts';

/** The images that the scenario runs: MariaDB with Galera of two Debian releases, and Java with MariaDB's client. */
export const galeraImages = {
  repository: 'docker.io/e2e/galera',
  before: '10.11',
  after: '11.8',
  load: 'docker.io/e2e/galera-load:1',
} as const;

/** The password of root, which the load has too. */
export const rootPassword = 'e2e-root';

/** The Secret with the passwords. */
export const galeraLogin = (namespace: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace },
  stringData: { 'root-password': rootPassword, 'member-password': 'e2e-members' },
});

/** A KVStoreCluster of MariaDB Galera, and its scripts. MariaDB refuses root: a container that runs first gives the node's volumes to the members' user. */
export function galeraStore(
  namespace: string,
  { name, version, replicas = 3, settings = {}, restoreFrom }: StoreNow,
): readonly object[] {
  return inChart(namespace, (chart) => {
    const { resource } = new GaleraStore(chart, name, {
      ...{ name, version, replicas, shellImage },
      image: galeraImages.repository,
      storage: { className: 'standard', size: '1Gi' },
      auth: { secretName: 'login' },
      settings: { innodb_buffer_pool_size: '64M', innodb_log_file_size: '32M', ...settings },
      backup: { claimName: 'backups', ...(restoreFrom === undefined ? {} : { restoreFrom }) },
    });
    // On a busy machine a member takes more than a minute to get what it has missed, and half a minute to change its tables.
    const patience = JsonPatch.replace('/spec/upgrade/progressDeadline', '180s');
    resource.addJsonPatch(...asUser(replicas, restoreFrom), patience);
  });
}
