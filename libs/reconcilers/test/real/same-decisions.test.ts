import { fileURLToPath } from 'node:url';
import { createClient, httpTransport, systemClock } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { createManager } from '@ordinal/runtime';
import { SimulatedCluster, startControlPlane } from '@ordinal/testing';
import { describe, expect, test } from 'vitest';
import type { Life } from './lives.ts';
import { lives } from './lives.ts';
import type { RealOrSimulated } from './world.ts';
import { clusteredCaches, controllers, definitions, kvStoreClusters, DecisionRecord } from './world.ts';

const events = { publish: () => undefined };
const name = 'test/operator';

/** What the operator does in a life in the simulation, without nodes. */
async function inSimulation(life: Life): Promise<readonly string[]> {
  const record = new DecisionRecord();
  const cluster = await SimulatedCluster.start({ crds: [...definitions], events: false, nodes: 0, seed: 1 });
  cluster.operator('ordinal', ({ transport, clock, random, identity }) => {
    const client = createClient({ transport, clock, random });
    const manager = createManager({ client, clock, random, name, identity, events, logger: record.logger });
    for (const definition of controllers(client)) manager.add(definition);
    void manager.start();
    return Promise.resolve({ stop: () => manager.stop() });
  });
  const world: RealOrSimulated = {
    client: cluster.client(),
    now: () => cluster.clock.now(),
    pass: (ms) => cluster.advance(ms),
  };
  await life.live(world);
  cluster.stop();
  return record.decisions;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The same in a real control plane, all lives side by side; or why there is none. */
async function inReality(): Promise<ReadonlyMap<string, readonly string[]> | { readonly skipped: string }> {
  // It takes minutes of waiting, and most of the machine while it lasts: only on request.
  if (process.env['ORDINAL_REAL_HISTORIES'] !== '1')
    return { skipped: 'ORDINAL_REAL_HISTORIES=1 compares with a real control plane' };
  const plane = await startControlPlane({
    environment: process.env,
    build: { program: fileURLToPath(new URL('../../../../tools/cluster/cluster', import.meta.url)) },
  });
  if ('skipped' in plane) return plane;
  const client = createClient({ transport: httpTransport(await kubeconfigServer({ text: plane.kubeconfig })) });
  try {
    for (const definition of definitions)
      await client.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition });
    const served = [
      () => client(clusteredCaches).namespace('default').list(),
      () => client(kvStoreClusters).namespace('default').list(),
    ];
    for (const list of served) {
      const isServed = () =>
        list().then(
          () => true,
          () => false,
        );
      while (!(await isServed())) await pause(200);
    }
    const records = new Map<string, readonly string[]>();
    for (const life of lives) records.set(life.name, await live(life, client));
    return records;
  } finally {
    await client.close();
    await plane.stop();
  }
}

async function live(life: Life, client: ReturnType<typeof createClient>): Promise<readonly string[]> {
  const record = new DecisionRecord();
  const clock = systemClock;
  const manager = createManager({
    client,
    clock,
    random: Math.random,
    name,
    identity: 'one',
    events,
    logger: record.logger,
  });
  for (const definition of controllers(client)) manager.add(definition);
  const running = manager.start();
  try {
    await life.live({ client, now: Date.now, pass: pause });
  } finally {
    await manager.stop();
    await running;
  }
  return record.decisions;
}

const real = await inReality();
const reason = 'skipped' in real ? real.skipped : 'action by action, with the reasons';

describe('in the simulation, while the test plays the kubelet,', () => {
  test.each(lives)('$name', { timeout: 60_000 }, async (life) => {
    const lines = await inSimulation(life);
    expect(lines.length).toBeGreaterThan(15);
    expect(lines.at(-1)).toMatch(/^remove finalizer/);
  });
});

describe.skipIf('skipped' in real)(`the decisions are those on a real control plane (${reason})`, () => {
  test.each(lives)('$name', { timeout: 60_000 }, async (life) => {
    expect(await inSimulation(life)).toEqual((real as ReadonlyMap<string, readonly string[]>).get(life.name));
  });
});
