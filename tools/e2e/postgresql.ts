import { PostgresqlStore } from '../../libs/recipes/src/index.ts';
import { inChart } from './redis.ts';
import { asUser, type StoreNow } from './stores.ts';

/** The images that the scenario runs: PostgreSQL 17 of Debian under two names, another major version, and the shell. */
export const postgresqlImages = {
  repository: 'docker.io/e2e/postgresql',
  before: '17-a',
  after: '17-b',
  otherMajor: '15',
  shell: 'docker.io/e2e/busybox:1',
} as const;

/** The password of the superuser, which the load has too. */
export const superuserPassword = 'e2e-super';

/** The Secret with the passwords. */
export const postgresqlLogin = (namespace: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace },
  stringData: { 'superuser-password': superuserPassword, 'replication-password': 'e2e-copy' },
});

/**
 * A KVStoreCluster of PostgreSQL, and its scripts. PostgreSQL refuses root, to whom the node's volumes belong: a container that runs first gives them to the members' user.
 */
export function postgresqlStore(
  namespace: string,
  { name, version, replicas = 3, settings = {}, restoreFrom }: StoreNow,
): readonly object[] {
  return inChart(namespace, (chart) => {
    const { resource } = new PostgresqlStore(chart, name, {
      ...{ name, version, replicas, settings },
      image: postgresqlImages.repository,
      shellImage: postgresqlImages.shell,
      storage: { className: 'standard', size: '1Gi' },
      auth: { secretName: 'login' },
      backup: { claimName: 'backups', ...(restoreFrom === undefined ? {} : { restoreFrom }) },
    });
    resource.addJsonPatch(...asUser(replicas, restoreFrom));
  });
}
