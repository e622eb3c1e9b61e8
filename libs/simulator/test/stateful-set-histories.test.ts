import { createClient, httpTransport } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { SimulatedCluster } from '../src/index.ts';
import { startControlPlane } from '@ordinal/control-plane';
import type { StepRecord } from './stateful-set-histories.ts';
import { runStatefulSetHistory, statefulSetHistories } from './stateful-set-histories.ts';

const inParallel = 6;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** All histories on a real controller manager, some at a time; or why there is none. */
async function realRecords(): Promise<ReadonlyMap<string, readonly StepRecord[]> | { readonly skipped: string }> {
  // It takes minutes of waiting, and most of the machine while it lasts: only on request.
  if (process.env['ORDINAL_REAL_HISTORIES'] !== '1')
    return { skipped: 'ORDINAL_REAL_HISTORIES=1 compares with a real controller manager' };
  const plane = await startControlPlane({
    environment: process.env,
    build: { program: fileURLToPath(new URL('../../../tools/cluster/cluster', import.meta.url)) },
  });
  if ('skipped' in plane) return plane;
  const client = createClient({ transport: httpTransport(await kubeconfigServer({ text: plane.kubeconfig })) });
  try {
    const records = new Map<string, readonly StepRecord[]>();
    const waiting = statefulSetHistories.map((history, index) => ({ history, namespace: `history-${index}` }));
    const world = { client, pass: pause, now: Date.now, quietMs: 3500 };
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        records.set(next.history.name, await runStatefulSetHistory(next.history, world, next.namespace));
      }
    };
    await Promise.all(Array.from({ length: inParallel }, work));
    return records;
  } finally {
    await client.close();
    await plane.stop();
  }
}

const real = await realRecords();
const reason = 'skipped' in real ? real.skipped : 'event by event';

describe.skipIf('skipped' in real)(`a StatefulSet's history is the real controller's (${reason})`, () => {
  test.each(statefulSetHistories)('$name', async (history) => {
    const cluster = await SimulatedCluster.start({ nodes: 0, events: false });
    const world = {
      client: cluster.client(),
      pass: (ms: number) => cluster.advance(ms),
      now: () => cluster.clock.now(),
      quietMs: 3500,
    };
    const simulated = await runStatefulSetHistory(history, world, 'history');
    cluster.stop();
    expect(simulated).toEqual((real as ReadonlyMap<string, readonly StepRecord[]>).get(history.name));
  });
});
