import { services } from '@ordinal/client';
import type { TestCluster } from '@ordinal/simulator';
import { pass } from './pass.ts';

/** How long another owner's Service has the name of a resource: the pauses between two looks at it have reached their longest by then (S0.22). */
const takenMs = 8_400_000;

/** When all has to be done: two further failures may each cost the longest pause, and pauses that double for six hours are longer. */
export const takenLimitMs = 15_600_000;

const home = (cluster: TestCluster) => cluster.client()(services).namespace('default');

/** Another owner has a Service of this name. */
export async function takeName(cluster: TestCluster, name: string): Promise<void> {
  await home(cluster).create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { ports: [{ port: 80 }] },
  });
}

/** After a long time, another owner's Service of this name is deleted. */
export async function giveNameBack(
  cluster: TestCluster,
  until: (condition: () => boolean) => Promise<void>,
  name: string,
): Promise<void> {
  await pass(cluster, until, takenMs);
  await home(cluster).delete(name);
}
