import type { TestCluster } from '@ordinal/simulator';
import { installImages } from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';

const closed = new WeakSet<TestCluster>();

/** Whether members say no to anyone who asks the gate that a cache has by default. It is open at first. */
export const isGateClosed = (cluster: TestCluster): boolean => closed.has(cluster);

/** From now on members say no. */
export const closeGate = (cluster: TestCluster): void => void closed.add(cluster);

/** From now on members say yes. */
export const openGate = (cluster: TestCluster): void => void closed.delete(cluster);

/** The images of the world; members that run the first or the second version answer as the gate is. */
export function installGatedImages(cluster: TestCluster): void {
  installImages(cluster);
  const http = ({ url }: { readonly url: URL }): number =>
    url.pathname === '/ready-for-shutdown' && isGateClosed(cluster) ? 503 : 200;
  for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http });
}
