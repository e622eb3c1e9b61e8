/**
 * What one reconcile of a resource costs whose objects are all in the operator's cache and where nothing is to be written: the children are synthesized
 * through cdk8s and compared with what is there. The status is made and compared, and the answer is that there is nothing to do.
 *
 *   npm run bench:reconcilers -- [--rounds 15] [--reconciles 400]
 *
 * The cluster is simulated and stands still while it is measured; controllers, caches and indexes are the operator's own. Prints processor time (user and
 * system, garbage collection included) for one reconcile: of the first after the start, and the median and the worst of the rounds after 500 to warm up.
 * Exits 1 where a reconcile would write, or where the median of ClusteredCache is above the target of 2 ms.
 */
import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { clusteredCaches, kvStoreClusters } from '@ordinal/api';
import type { Client } from '@ordinal/client';
import { createClient, storageClasses } from '@ordinal/client';
import { clusteredCacheController, kvStoreClusterController } from '@ordinal/reconcilers';
import { probesThrough } from '@ordinal/lifecycle';
import { createManager } from '@ordinal/runtime';
import type { ControllerDefinition, Manager, ReconcileContext } from '@ordinal/runtime';
import { SimulatedCluster } from '@ordinal/simulator';
import { readFlags } from '../../tools/flags/flags.ts';

/** The key by which the benchmark's operator seals. */
const sealKey = createSecretKey(Buffer.alloc(32, 'benchmark key'));
const seals = { keys: () => [sealKey] };

const { values } = readFlags('npm run bench:reconcilers -- [--rounds 15] [--reconciles 400]', {
  options: { rounds: { type: 'string', default: '15' }, reconciles: { type: 'string', default: '400' } },
});
const rounds = Number(values.rounds);
const reconciles = Number(values.reconciles);
const targetMs = 2;

interface World {
  readonly name: string;
  readonly crd: string;
  readonly controller: (client: Client) => ControllerDefinition;
  readonly setUp: (cluster: SimulatedCluster) => Promise<void>;
  /** How many of them there are, which are looked at in turns. One by default. */
  readonly count?: number;
  /** What the resource's status has to say before it is measured. */
  readonly settled: (status: Settled | undefined) => boolean;
}

interface Settled {
  readonly currentVersion?: string;
  readonly upgrade?: { readonly step?: string };
}

const crdOf = (file: string): string =>
  readFileSync(new URL(`../../libs/api/crds/${file}.yaml`, import.meta.url), 'utf8');
const key = { namespace: 'default', name: 'measured' };
/** The names of so many resources, the measured one first. */
const namesOf = (count = 1): readonly string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? key.name : `${key.name}-${index}`));
/** More than a process remembers the children of, so that each is synthesized again. */
const tooMany = 70;
const answerNo = () => Promise.resolve({ status: 503, body: 'not yet' });

const caches: Omit<World, 'name' | 'setUp' | 'settled'> = {
  crd: crdOf('clusteredcaches.cache.my.domain'),
  controller: (client) => clusteredCacheController({ probes: probesThrough(client, answerNo), seals }),
};

async function aCache(cluster: SimulatedCluster, name = key.name): Promise<void> {
  for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000 });
  await cluster
    .client()(clusteredCaches)
    .namespace('default')
    .create({
      apiVersion: 'cache.my.domain/v1',
      kind: 'ClusteredCache',
      metadata: { ...key, name },
      spec: { replicas: 3, image: 'cache:1', port: 6379, podTemplate: { metadata: { annotations: { team: 'web' } } } },
    });
}

const worlds: readonly World[] = [
  {
    ...caches,
    name: 'ClusteredCache, three members, nothing to do',
    setUp: (cluster) => aCache(cluster),
    settled: (status) => status?.currentVersion === 'cache:1',
  },
  {
    ...caches,
    name: 'ClusteredCache, one after the other of 70: no children are remembered',
    count: tooMany,
    setUp: async (cluster) => {
      for (const name of namesOf(tooMany)) await aCache(cluster, name);
    },
    settled: (status) => status?.currentVersion === 'cache:1',
  },
  {
    ...caches,
    name: 'ClusteredCache, an upgrade before a closed gate',
    setUp: async (cluster) => {
      await aCache(cluster);
      cluster.clock.after(60_000, () => {
        const body = { spec: { image: 'cache:2' } };
        void cluster.client()(clusteredCaches).namespace('default').patch('measured', { type: 'merge', body });
      });
    },
    settled: (status) => status?.upgrade?.step === 'AwaitingGate',
  },
  {
    name: 'KVStoreCluster, three members, nothing to do',
    crd: crdOf('kvstoreclusters.kvstore.example.com'),
    controller: (client) => kvStoreClusterController({ probes: probesThrough(client, answerNo), seals }),
    setUp: async (cluster) => {
      cluster.image('my-repo/kvstore:1.0', { startsIn: 2000 });
      const metadata = { name: 'fast' };
      const kind = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata } as const;
      await cluster
        .client()(storageClasses)
        .cluster()
        .create({ ...kind, provisioner: 'simulated.example/disk' });
      await cluster
        .client()(kvStoreClusters)
        .namespace('default')
        .create({
          apiVersion: 'kvstore.example.com/v1',
          kind: 'KVStoreCluster',
          metadata: key,
          spec: { version: '1.0', replicas: 3, storage: { className: 'fast', size: '10Gi' } },
        });
    },
    settled: (status) => status?.currentVersion === '1.0',
  },
];

/** Lets the world come to where it is measured; returns one reconcile of it. */
async function prepare(world: World): Promise<() => Promise<void>> {
  const cluster = await SimulatedCluster.start({ crds: [world.crd], events: false, seed: 1 });
  await world.setUp(cluster);
  const running: { manager?: Manager; definition?: ControllerDefinition } = {};
  cluster.operator('operator', ({ transport, clock, random }) => {
    const client = createClient({ transport, clock, random });
    const definition = world.controller(client);
    const manager = createManager({
      client,
      clock,
      random,
      name: 'bench/operator',
      identity: 'bench',
      events: { publish: () => undefined },
    });
    manager.add(definition);
    void manager.start();
    Object.assign(running, { manager, definition });
    return Promise.resolve({ stop: () => manager.stop() });
  });
  const names = namesOf(world.count);
  const isSettled = (name: string): boolean => {
    const descriptor = running.definition?.primary;
    const object = descriptor && cluster.objects.find(descriptor, key.namespace, name);
    return world.settled((object as { readonly status?: Settled } | undefined)?.status);
  };
  const areSettled = (): boolean => names.every(isSettled);
  await cluster.run({ until: areSettled, maxVirtualMs: 3_600_000 });
  await cluster.advance(5000);
  const { manager, definition } = running;
  if (!manager || !definition || !areSettled()) throw new Error(`${world.name}: never came to that`);
  const silent = (): void => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent, child: () => log };
  const refuse = (): never => {
    throw new Error(`${world.name}: a reconcile would write, so that this measures something else`);
  };
  const context: ReconcileContext = {
    cache: manager.reader(definition.name),
    client: Object.assign(refuse, { request: refuse }) as unknown as Client, // Whatever is asked of it is refused.
    clock: cluster.clock,
    random: () => 0.5,
    events: { publish: silent },
    log,
    signal: new AbortController().signal,
    failures: 0,
    outside: (call) => call(),
  };
  let turn = 0;
  return async () => {
    const name = names[turn++ % names.length] ?? key.name;
    await definition.reconcile({ ...key, name }, context);
  };
}

/** Processor time of one of so many reconciles, in milliseconds. */
async function cpuOf(reconcile: () => Promise<void>, count: number): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index += 1) await reconcile();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / count;
}

for (const world of worlds) {
  const reconcile = await prepare(world);
  const first = await cpuOf(reconcile, 1);
  await cpuOf(reconcile, 500);
  const measured: number[] = [];
  for (let round = 0; round < rounds; round += 1) measured.push(await cpuOf(reconcile, reconciles));
  const sorted = measured.sort((a, b) => a - b);
  const median = sorted[Math.floor(rounds / 2)] ?? Number.NaN;
  const [f, m, w] = [first, median, sorted.at(-1) ?? Number.NaN].map((ms) => ms.toFixed(2));
  console.log(
    `${world.name}: ${m} ms (median of ${rounds} × ${reconciles}), ${w} ms (worst round), ${f} ms (the first)`,
  );
  if (world.name.startsWith('ClusteredCache') && !(median <= targetMs)) process.exitCode = 1;
}
