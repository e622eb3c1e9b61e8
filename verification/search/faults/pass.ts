import type { TestCluster } from '@ordinal/simulator';

/** Lets time pass in what a scenario's user does. */
export function pass(
  cluster: TestCluster,
  until: (condition: () => boolean) => Promise<void>,
  forMs: number,
): Promise<void> {
  const from = cluster.clock.now();
  return until(() => cluster.clock.now() >= from + forMs);
}
