import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubeconfigOf, listen, SimulatedCluster } from '@ordinal/simulator';
import type { ImageProgram } from '@ordinal/simulator';

const definitions = join(import.meta.dirname, '../../../libs/api/crds');

/** A simulated cluster on a port, which keeps to the wall clock. */
export interface GuideCluster {
  readonly cluster: SimulatedCluster;
  close(): Promise<void>;
}

/** Starts it with the images that a page names, and writes a kubeconfig of its administrator. Its namespace is `default`; `shop` is there too, and a StorageClass `fast`. */
export async function startCluster(
  kubeconfig: string,
  images: Readonly<Record<string, ImageProgram>>,
): Promise<GuideCluster> {
  const crds = readdirSync(definitions).map((file) => readFileSync(join(definitions, file), 'utf8'));
  const cluster = await SimulatedCluster.start({ crds, pace: 1, nodes: 3, namespaces: ['shop'] });
  for (const [image, program] of Object.entries(images))
    cluster.image(image, { startsIn: 300, stopsIn: 200, ...program });
  void cluster.keepRunning();
  await cluster.client().request('POST', '/apis/storage.k8s.io/v1/storageclasses', {
    body: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fast' },
      provisioner: 'simulated',
    },
  });
  const listening = await listen(cluster);
  writeFileSync(kubeconfig, kubeconfigOf({ server: listening.url }), { mode: 0o600 });
  return {
    cluster,
    async close() {
      cluster.stop();
      await listening.close();
    },
  };
}
