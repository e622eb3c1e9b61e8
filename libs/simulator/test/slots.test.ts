import { afterEach, describe, expect, it } from 'vitest';
import { slotOf } from '../../runtime/src/leadership/leadership.ts';
import type { Operator } from '../src/index.ts';
import { slotsWorld } from './slots-world.ts';
import type { SlotsWorld, Write } from './slots-world.ts';

let running: SlotsWorld | undefined;
afterEach(() => running?.cluster.stop());

async function world(seed: number, replicas: number): Promise<SlotsWorld> {
  running = await slotsWorld(seed, replicas);
  return running;
}

/** The writes of a replica that did not hold the ledger's slot, or shared the ledgers in another way than those that held the first lease. */
function byStrangers(writes: readonly Write[]): readonly Write[] {
  const holders = new Map<string, string>();
  return writes.filter(({ object, by }) => {
    if (object.startsWith('lease ')) {
      holders.set(object, by);
      return false;
    }
    const [identity = '', , slots = ''] = by.split(' ');
    if (slots === '1') return holders.get('lease operator') !== identity;
    const slot = `lease operator-slot-${slotOf(`default/${object}`, Number(slots))}`;
    return holders.get('lease operator') !== `${slots} slots` || holders.get(slot) !== identity;
  });
}

/** How many slots each replica holds. */
function held(writes: readonly Write[]): readonly (readonly [string, number])[] {
  const slots = new Map(writes.filter(({ object }) => object.includes('-slot-')).map(({ object, by }) => [object, by]));
  const counts = Map.groupBy(slots.values(), (holder) => holder);
  return [...counts].map(([holder, all]) => [holder, all.length] as const).toSorted();
}

const ownersIn = (writers: readonly (string | undefined)[]): ReadonlyMap<string | undefined, number> =>
  new Map([...Map.groupBy(writers, (writer) => writer)].map(([writer, all]) => [writer, all.length]));

/** Breaks the connection of a replica with the API server for a while, before or after a request is carried out. */
function cutOff(replica: Operator, forMs: number, { cluster }: SlotsWorld): void {
  const lose = (): { readonly lose: true } => ({ lose: true });
  const mend = replica.hook(cluster.random() < 0.5 ? { before: lose } : { after: lose });
  cluster.scheduler.schedule(forMs, 'mended', () => void mend());
}

/** What a replica sends while it is stalled arrives later. */
function stall(replica: Operator, forMs: number, { cluster }: SlotsWorld): void {
  const mend = replica.hook({ before: ({ kind }) => (kind === 'write' ? { delayMs: forMs } : undefined) });
  cluster.scheduler.schedule(forMs, 'mended', () => void mend());
}

const faults: readonly ((replica: Operator, world: SlotsWorld, forMs: number) => void)[] = [
  (replica, _world, forMs) => replica.pause(forMs),
  (replica, _world, forMs) => replica.restart(forMs),
  (replica, world, forMs) => cutOff(replica, forMs, world),
  (replica, world, forMs) => stall(replica, forMs, world),
  (replica, { cluster }) => replica.skewClock(cluster.random() < 0.5 ? -3_600_000 : 3_600_000),
  (replica, world, forMs) => {
    // The clock stands in the way of noticing it.
    replica.skewClock(-60_000);
    cutOff(replica, forMs, world);
  },
  (replica, { cluster }, forMs) => {
    void replica.stop();
    cluster.scheduler.schedule(forMs, 'started again', () => {
      if (!replica.isRunning) replica.start();
    });
  },
  (replica, { cluster }, forMs) => {
    cluster.scheduler.schedule(forMs, 'events go on', replica.holdEvents('configmaps'));
  },
];

describe('replicas that share the work in slots', () => {
  it('have the same part of it or nearly, and each object has one of them', async () => {
    const { cluster, writes, writers } = await world(1, 3);
    await cluster.advance(60_000);
    expect(held(writes).map(([holder]) => holder)).toEqual(['replica-0-1', 'replica-1-1', 'replica-2-1']);
    expect(
      held(writes)
        .map(([, count]) => count)
        .toSorted(),
    ).toEqual([1, 1, 2]);
    expect(writers(5_000)).not.toContain(undefined);
    expect(byStrangers(writes)).toEqual([]);
  });

  it('hand over what a new one needs within seconds, and no more', async () => {
    const { cluster, writes, writers, join } = await world(2, 2);
    await cluster.advance(60_000);
    const before = writers(5_000);
    join('late');
    await cluster.advance(15_000);
    const after = writers(5_000);
    const moved = after.filter((writer, index) => writer !== before[index]);
    expect(moved.length).toBeGreaterThan(0);
    expect(new Set(moved)).toEqual(new Set(['late-1 of 4']));
    expect(byStrangers(writes)).toEqual([]);
  });

  it('take over what one had that was killed, when its leases have run out', async () => {
    const { cluster, writes, writers, replicas } = await world(3, 3);
    await cluster.advance(60_000);
    const [killed] = replicas;
    killed?.crash();
    await cluster.advance(22_000);
    expect(held(writes).map(([, count]) => count)).toEqual([2, 2]);
    expect(writers(5_000)).not.toContain(undefined);
    expect(byStrangers(writes)).toEqual([]);
  });

  it('take over at once what one had that was stopped in good order', async () => {
    const { cluster, writes, writers, replicas } = await world(4, 3);
    await cluster.advance(60_000);
    void replicas[0]?.stop();
    await cluster.advance(10_000);
    expect(held(writes).map(([, count]) => count)).toEqual([2, 2]);
    expect(writers(5_000)).not.toContain(undefined);
  });

  it.each([1, 3])('never work beside one that shares it in another number of slots: %i', async (slots) => {
    const { cluster, writes, writers, replicas, join } = await world(5, 2);
    await cluster.advance(60_000);
    const other = join('other', slots);
    await cluster.advance(60_000);
    void replicas[0]?.stop();
    await cluster.advance(20_000);
    expect(new Set(writes.filter(({ object }) => object === 'lease operator').map(({ by }) => by))).toEqual(
      new Set(['4 slots']),
    );
    expect(ownersIn(writers(5_000))).toEqual(new Map([['replica-1-1 of 4', 8]]));
    void replicas[1]?.stop();
    await cluster.advance(40_000);
    expect(ownersIn(writers(5_000))).toEqual(new Map([[`other-1 of ${slots}`, 8]]));
    for (const replica of replicas) replica.start();
    await cluster.advance(60_000);
    expect(ownersIn(writers(5_000))).toEqual(new Map([[`other-1 of ${slots}`, 8]]));
    other.crash();
    await cluster.advance(60_000);
    expect(writers(5_000).every((writer) => writer?.endsWith('of 4'))).toBe(true);
    expect(byStrangers(writes)).toEqual([]);
  });

  it.each(Array.from({ length: 6 }, (_, seed) => seed + 1))(
    'never have two writers, whatever happens to them, and share all of it again afterwards: history %i',
    async (seed) => {
      const the = await world(seed, 3);
      const { cluster, writes, writers, replicas } = the;
      await cluster.advance(60_000);
      for (let round = 0; round < 8; round += 1) {
        const fault = faults[Math.floor(cluster.random() * faults.length)];
        const replica = replicas[Math.floor(cluster.random() * replicas.length)];
        if (fault === undefined || replica === undefined) throw new Error('there is no fault');
        fault(replica, the, 1000 + cluster.random() * 40_000);
        await cluster.advance(cluster.random() * 30_000);
      }
      expect(byStrangers(writes)).toEqual([]);
      for (const replica of replicas) if (!replica.isRunning) replica.start();
      await cluster.advance(120_000);
      expect(byStrangers(writes)).toEqual([]);
      expect(writers(10_000)).not.toContain(undefined);
      expect(
        held(writes)
          .map(([, count]) => count)
          .toSorted(),
      ).toEqual([1, 1, 2]);
    },
  );
});
