import { configMaps, createClient } from '@ordinal/client';
import { controller, createManager, requeueAfter } from '@ordinal/runtime';
import { SimulatedCluster } from '../src/index.ts';
import type { Operator, OperatorStart } from '../src/index.ts';

const namespace = 'default';
const lease = 'operator';
const times = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

/** A replica that writes its name into every ledger that is its, again and again. It shares them in so many slots. */
const replica =
  (slots: number): OperatorStart =>
  ({ transport, clock, random, identity }) => {
    const client = createClient({ transport, clock, random });
    const writer = `${identity} of ${slots}`;
    const manager = createManager({
      client,
      clock,
      random,
      name: 'example.com/ledgers',
      identity,
      events: { publish: () => undefined },
      leaderElection: { client, namespace, name: lease, slots, ...times },
    }).add(
      controller('ledgers')
        .for(configMaps, { labelSelector: 'ledger' })
        .options({ concurrency: 5, backoff: { baseMs: 100, capMs: 2000, jitter: 0.2 } })
        .reconcile(async (key, { cache, client: write }) => {
          const ledger = cache.get(configMaps, key);
          if (ledger === undefined) return requeueAfter(1000);
          const { uid, resourceVersion } = ledger.metadata;
          await write(configMaps)
            .namespace(namespace)
            .patch(key.name, { type: 'merge', body: { metadata: { uid, resourceVersion }, data: { writer } } });
          return requeueAfter(2000);
        }),
    );
    void manager.start();
    return Promise.resolve({ stop: () => manager.stop() });
  };

/** A write to a ledger or a lease that the server has carried out, in their order. */
export interface Write {
  readonly at: number;
  readonly object: string;
  /** Who wrote the ledger, or who holds the lease from then on. */
  readonly by: string;
}

/** What is read of a ledger or a lease. */
interface Written {
  readonly metadata?: { readonly name?: string };
  readonly data?: { readonly writer?: string };
  readonly spec?: { readonly holderIdentity?: string };
}

/** Ledgers, replicas that share them, and everything that was written. */
export interface SlotsWorld {
  readonly cluster: SimulatedCluster;
  readonly ledgers: readonly string[];
  readonly replicas: readonly Operator[];
  readonly writes: readonly Write[];
  /** Has another replica join, or one that shares in another number of slots. */
  join(name: string, slots?: number): Operator;
  /** Who last wrote each ledger within this time. */
  writers(withinMs: number): readonly (string | undefined)[];
}

/** Builds the world. Nothing moves before the cluster runs. */
export async function slotsWorld(seed: number, replicas: number): Promise<SlotsWorld> {
  const cluster = await SimulatedCluster.start({ seed, nodes: 0, controllers: false, events: false, endpoints: false });
  const user = cluster.client();
  const ledgers = Array.from({ length: 8 }, (_, index) => `ledger-${index}`);
  for (const name of ledgers)
    await user(configMaps)
      .namespace(namespace)
      .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { ledger: 'yes' } } });
  const writes: Write[] = [];
  cluster.server.intercept({
    after: ({ verb, resource, name }, { status, body }) => {
      const { data, spec, metadata } = body as Written;
      if (status >= 400 || !['create', 'update', 'patch'].includes(verb)) return undefined;
      const object = name ?? metadata?.name ?? '';
      const at = cluster.clock.now();
      if (resource.plural === 'leases') writes.push({ at, object: `lease ${object}`, by: spec?.holderIdentity ?? '' });
      else if (data?.writer !== undefined) writes.push({ at, object, by: data.writer });
      return undefined;
    },
  });
  const join = (name: string, slots = 4): Operator => cluster.operator(name, replica(slots));
  const world = { cluster, ledgers, writes, join };
  const all = Array.from({ length: replicas }, (_, index) => join(`replica-${index}`));
  return {
    ...world,
    replicas: all,
    writers: (withinMs) =>
      ledgers.map(
        (name) => writes.findLast(({ object, at }) => object === name && at >= cluster.clock.now() - withinMs)?.by,
      ),
  };
}
