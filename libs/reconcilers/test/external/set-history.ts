import { createHash } from 'node:crypto';
import { monitoredStatefulSets } from '@ordinal/api';
import type { MonitoredStatefulSet, MonitoredStatefulSetInput } from '@ordinal/api';
import { namespaces } from '@ordinal/client';
import { monitoredSetFinalizer } from '../../src/monitored-stateful-set/index.ts';
import type { Violation } from './database-invariants.ts';
import { tempers } from './database-history.ts';
import type { HistoryResult } from './database-history.ts';
import { faultName, injectFaults, Standstill } from './fault.ts';
import type { Fault } from './fault.ts';
import type { KeeperEvent } from './keeper.ts';
import type { SetWorld } from './set-world.ts';
import { endpoints, monitoredSet, setNow, setWorld } from './set-world.ts';

/** What happens to one MonitoredStatefulSet, and how many registrations must be left afterwards. */
export interface SetScenario {
  readonly name: string;
  readonly left: number;
  run(world: SetWorld): Promise<void>;
}

const resource = ({ cluster }: SetWorld) => cluster.client()(monitoredStatefulSets).namespace('team');

const until = async (
  { cluster }: SetWorld,
  holds: (set: MonitoredStatefulSet | undefined) => boolean,
): Promise<void> => {
  const outcome = await cluster.run({ until: () => holds(setNow(cluster, 'db')), maxVirtualMs: 3_600_000 });
  if (outcome !== 'reached')
    throw new Standstill(`an hour has passed without what was waited for: ${holds.toString()}`);
};

const create = async (world: SetWorld, spec: Partial<MonitoredStatefulSetInput['spec']> = {}): Promise<void> => {
  await resource(world).create(monitoredSet('db', spec));
};

const registered = (world: SetWorld): Promise<void> => until(world, (set) => set?.status?.phase === 'Registered');

const remove = async (world: SetWorld): Promise<void> => {
  await resource(world).delete('db');
  await until(world, (set) => set === undefined);
};

const move = (world: SetWorld, monitorEndpoint: string): Promise<unknown> =>
  resource(world).patch('db', { type: 'merge', body: { spec: { monitorEndpoint } } });

/** The life of a MonitoredStatefulSet, in its variants. */
export const setScenarios: readonly SetScenario[] = [
  {
    name: 'created, registered, deleted',
    left: 0,
    async run(world) {
      await create(world);
      await registered(world);
      await remove(world);
    },
  },
  {
    name: 'deleted 30 ms after its creation',
    left: 0,
    async run(world) {
      await create(world);
      await world.cluster.advance(30);
      await remove(world);
    },
  },
  {
    name: 'moved to another monitor and back, deleted',
    left: 0,
    async run(world) {
      await create(world);
      await registered(world);
      await move(world, endpoints[1]);
      await world.cluster.advance(20_000);
      await move(world, endpoints[0]);
      await world.cluster.advance(20_000);
      await move(world, endpoints[1]);
      await until(world, (set) => set?.status?.registrations?.length === 1);
      await remove(world);
    },
  },
  {
    name: 'moved away from a monitor that is down, deleted together with its namespace',
    left: 0,
    async run(world) {
      await create(world);
      await registered(world);
      world.keepers[0].outage = 503;
      await move(world, endpoints[1]);
      await world.cluster.advance(60_000);
      await world.cluster.client()(namespaces).cluster().delete('team');
      await world.cluster.advance(30_000);
      world.keepers[0].outage = undefined;
      await until(world, (set) => set === undefined);
    },
  },
  {
    name: 'deleted, and held up by somebody else',
    left: 0,
    async run(world) {
      const held = monitoredSet('db');
      await resource(world).create({ ...held, metadata: { ...held.metadata, finalizers: ['example.com/held'] } });
      await registered(world);
      await resource(world).delete('db');
      await until(world, (set) => set?.metadata.finalizers?.length === 1);
      const { writes } = world.operator;
      await world.cluster.advance(600_000);
      const more = world.operator.writes - writes;
      // One is what a reply that was lost may lead to.
      if (more > 1) throw new Standstill(`${more} writes although nothing is left to do`);
      await resource(world).patch('db', { type: 'merge', body: { metadata: { finalizers: null } } });
      await until(world, (set) => set === undefined);
    },
  },
  {
    name: 'forgotten by its monitor, registered again, retained',
    left: 1,
    async run(world) {
      await create(world, { deletionPolicy: 'Retain' });
      await registered(world);
      const owner = setNow(world.cluster, 'db')?.metadata.uid ?? '';
      world.keepers[0].lose(owner);
      await until(
        world,
        (set) =>
          (set?.status?.registrations?.[0]?.incarnation ?? 1) > 1 && set?.status?.registrations?.[0]?.id !== undefined,
      );
      await remove(world);
    },
  },
];

/** Runs one history of a MonitoredStatefulSet to its end. */
export async function runSetHistory(plan: {
  readonly scenario: SetScenario;
  readonly temper: keyof typeof tempers;
  readonly faults: readonly Fault[];
  readonly seed: number;
}): Promise<HistoryResult> {
  const { scenario, temper, faults, seed } = plan;
  const world = await setWorld(seed, tempers[temper]);
  const { cluster, keepers, operator } = world;
  const violations: Violation[] = [];
  const fired: HistoryResult['fired'][number][] = [];
  const broken = (invariant: string, what: string): void => void violations.push({ invariant, what });
  const left = (): number => keepers[0].present().length + keepers[1].present().length;
  keepers.forEach((keeper, index) => keeper.watch((event) => checkOutside(event, world, index, broken)));
  const stop = cluster.server.store.subscribe(({ kind, before, after, deleted }) => {
    if (kind !== 'monitoredstatefulsets.statefulsets.example.com') return;
    // The store holds what the API server has validated.
    checkInside(
      before as MonitoredStatefulSet | undefined,
      deleted ? undefined : (after as unknown as MonitoredStatefulSet),
      { broken, left },
    );
  });
  const { count } = injectFaults(operator, faults, (fault, { target }) => {
    if (fault.effect === 'deny') keepers[target.startsWith(endpoints[1]) ? 1 : 0].deny();
    const set = setNow(cluster, 'db');
    const leaving = set?.metadata.deletionTimestamp === undefined ? '' : 'leaving ';
    const reason = set?.status?.conditions?.find(({ type }) => type === 'MonitorRegistered')?.reason ?? '-';
    fired.push({
      fault,
      state: `${leaving}${set?.status?.phase ?? 'new'}/${reason}/${keepers[0].present().length}+${keepers[1].present().length}`,
    });
  });
  try {
    await scenario.run(world);
    await cluster.advance(120_000);
    if (setNow(cluster, 'db') !== undefined) broken('I11', 'the object is stuck in deletion');
    if (left() !== scenario.left) broken('I12', `${left()} registrations are left, ${scenario.left} should be`);
  } catch (error) {
    if (!(error instanceof Standstill)) throw error;
    broken('progress', error.message);
  } finally {
    stop();
    cluster.stop();
  }
  const happened = cluster.trace.entries.map(
    ({ actor, action, subject, outcome }) => `${actor} ${action} ${subject} ${outcome ?? ''}`,
  );
  return {
    violations,
    fired,
    traceKey: createHash('sha1').update(happened.join('\n')).digest('base64'),
    calls: count,
    text: () =>
      `${scenario.name}, ${temper}, seed ${seed}: ${faults.map(faultName).join(', ')}\n${cluster.trace.text(cluster.startedAt)}`,
  };
}

type Broken = (invariant: string, what: string) => void;

function checkOutside(
  { verb, thing }: KeeperEvent,
  { cluster, keepers }: SetWorld,
  index: number,
  broken: Broken,
): void {
  const set = setNow(cluster, 'db');
  if (verb === 'create') {
    const record = set?.status?.registrations?.find(({ endpoint }) => endpoint === endpoints[index]);
    if (record?.token !== thing.token)
      broken('I22', `${thing.id} was made with the token ${thing.token}, which is not durable`);
    if (set?.metadata.finalizers?.includes(monitoredSetFinalizer) !== true)
      broken('S0.17', `${thing.id} was made without a finalizer`);
    const others = keepers[index]?.of(thing.owner).filter((other) => other !== thing) ?? [];
    if (others.some(({ deletingAt }) => deletingAt === undefined)) broken('I24', `${thing.id} was made beside another`);
    else if (others.length > 0) broken('I27', `${thing.id} was made while another was being deleted`);
  }
  if (verb === 'delete' && set?.metadata.deletionTimestamp === undefined) {
    const elsewhere = keepers[1 - index]?.of(thing.owner).filter(({ deletingAt }) => deletingAt === undefined) ?? [];
    if (elsewhere.length === 0) broken('gap', `${thing.id} was removed while the set was registered nowhere else`);
  }
}

function checkInside(
  before: MonitoredStatefulSet | undefined,
  after: MonitoredStatefulSet | undefined,
  { broken, left }: { readonly broken: Broken; readonly left: () => number },
): void {
  const had = before?.metadata.finalizers?.includes(monitoredSetFinalizer) === true;
  const has = after?.metadata.finalizers?.includes(monitoredSetFinalizer) === true;
  if (had && !has && left() > 0 && before.spec.deletionPolicy === 'Delete')
    broken('I23', `the finalizer went while ${left()} registrations are still there`);
  if (!had && has && after.metadata.deletionTimestamp !== undefined)
    broken('I25', 'a finalizer came to an object that is being deleted');
}
