import { fileURLToPath } from 'node:url';
import { clusteredCaches, kvStoreClusters } from '@ordinal/api';
import { httpTransport } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { AttachedCluster } from '@ordinal/simulator';
import { startControlPlane } from '@ordinal/control-plane';
import { definitions } from './definitions.ts';
import type { Lived, Reported } from './live.ts';
import { liveInReality } from './live.ts';

/** It takes minutes, and most of the machine while it lasts: only on request, as in `.ci/run`. */
export const isAskedFor = process.env['ORDINAL_REAL_HISTORIES'] === '1';

/** How to ask for it. */
export const onRequest = 'npm run real-histories';

/** A real control plane that scenarios are lived through on, one after the other. */
export interface RealPlane {
  readonly live: (lived: Lived) => Promise<Reported>;
  readonly stop: () => Promise<void>;
}

/** Starts one; or says why there is none. */
export async function realPlane(): Promise<RealPlane | { readonly skipped: string }> {
  const plane = await startControlPlane({
    environment: process.env,
    definitions,
    build: { program: fileURLToPath(new URL('../../tools/cluster/cluster', import.meta.url)) },
  });
  if ('skipped' in plane) return plane;
  const transport = httpTransport(await kubeconfigServer({ text: plane.kubeconfig }));
  const kinds = [clusteredCaches, kvStoreClusters];
  return {
    live: async (lived) => {
      const { nodes = 3 } = lived.scenario.cluster ?? {};
      const count = typeof nodes === 'number' ? nodes : nodes.length;
      return liveInReality(lived, await AttachedCluster.start({ transport, kinds, nodes: count }));
    },
    stop: async () => {
      await transport.close();
      await plane.stop();
    },
  };
}
