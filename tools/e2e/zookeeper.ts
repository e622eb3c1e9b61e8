import { ZookeeperStore } from '../../libs/recipes/src/index.ts';
import { inChart } from './redis.ts';
import { onTheNode, root, type StoreNow } from './stores.ts';

/** The images that the scenario runs: ZooKeeper of two Debian releases, with their Java, and the shell. */
export const zookeeperImages = {
  repository: 'docker.io/e2e/zookeeper',
  before: '3.8',
  after: '3.9',
  shell: 'docker.io/e2e/busybox:1',
} as const;

/** The Secret with the password by which members are added and removed. */
export const zookeeperPassword = (namespace: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'super', namespace },
  stringData: { 'super-password': 'e2e-super' },
});

/** A KVStoreCluster of ZooKeeper, and its scripts. */
export function zookeeperStore(
  namespace: string,
  { name, version, replicas = 3, settings = {} }: StoreNow,
): readonly object[] {
  return inChart(namespace, (chart) => {
    const { resource } = new ZookeeperStore(chart, name, {
      ...{ name, version, replicas, settings, heap: '256m' },
      image: zookeeperImages.repository,
      shellImage: zookeeperImages.shell,
      storage: { className: 'standard', size: '1Gi' },
      auth: { secretName: 'super' },
    });
    resource.addJsonPatch(...onTheNode(root, ['/spec/podTemplate']));
  });
}
