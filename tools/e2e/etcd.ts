import { EtcdStore } from '../../libs/recipes/src/index.ts';
import { inChart } from './redis.ts';
import { onTheNode, root, type StoreNow } from './stores.ts';

/** The images that the scenario runs: etcd of two Debian releases, which have no shell, and the shell. */
export const etcdImages = {
  repository: 'docker.io/e2e/etcd',
  before: '3.4',
  after: '3.5',
  shell: 'docker.io/e2e/busybox:1',
} as const;

/** A KVStoreCluster of etcd, and its scripts. */
export function etcdStore(
  namespace: string,
  { name, version, replicas = 3, settings = {}, restoreFrom }: StoreNow,
): readonly object[] {
  return inChart(namespace, (chart) => {
    const { resource } = new EtcdStore(chart, name, {
      ...{ name, version, replicas, settings },
      image: etcdImages.repository,
      shellImage: etcdImages.shell,
      storage: { className: 'standard', size: '1Gi' },
      backup: { claimName: 'backups', ...(restoreFrom === undefined ? {} : { restoreFrom }) },
    });
    resource.addJsonPatch(...onTheNode(root));
  });
}
