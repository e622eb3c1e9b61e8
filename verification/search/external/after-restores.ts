import type { TestCluster } from '@ordinal/simulator';

/**
 * Plays a part of a scenario, and plays it again for as long as etcd was restored meanwhile: the older state has to come to the same end, and what is done for that is no fault. Returns
 * what the last time returns.
 */
export async function afterRestores<T>(cluster: TestCluster, play: () => Promise<T>): Promise<T> {
  for (;;) {
    const before = cluster.restores.length;
    const outcome = await play();
    if (cluster.restores.length === before) return outcome;
  }
}
