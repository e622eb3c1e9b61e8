import type { MonitoredStatefulSet } from '@ordinal/api';
import { monitoredSetFinalizer } from '../../../libs/reconcilers/src/monitored-stateful-set/index.ts';
import { LostOwners } from './lost-owners.ts';
import { onItsWayMs, wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';
import type { KeptThing } from '../../../libs/reconcilers/test/external/fake-provider.ts';
import type { SetWorld } from '../../../libs/reconcilers/test/external/set-world.ts';
import { runsSince } from './runs-since.ts';
import { endpoints } from '../../../libs/reconcilers/test/external/set-world.ts';

/** How long an operator that runs takes at most to read what a restore has brought back, and to record where it looks, in milliseconds: the API server is away for two seconds, and then everything is listed. */
const recordMs = 3_000;

/**
 * The registrations that nothing in the cluster shows after a restore of etcd:
 *
 * - Those of the sets that are `LostOwners`.
 * - Those that were there by then at a monitor which neither spec nor status of the older state names.
 * - Those at a monitor that the spec alone names, and that is down until the spec names another, or that it names no more before an operator that runs could have recorded it.
 * - Those that no record shows at a monitor without look-ups.
 */
export class LostRegistrations {
  private readonly things = new Set<KeptThing>();
  private readonly owners: LostOwners;
  private readonly world: Pick<SetWorld, 'providers' | 'cluster' | 'operator'>;

  constructor(world: Pick<SetWorld, 'providers' | 'cluster' | 'operator'>) {
    this.world = world;
    this.owners = new LostOwners(world, monitoredSetFinalizer);
  }

  /** A set has changed. */
  note(change: Parameters<LostOwners['note']>[0]): void {
    const { before, after, deleted, restored = false } = change;
    // The store holds what the API server has validated.
    const [was, is] = [before as MonitoredStatefulSet | undefined, after as MonitoredStatefulSet];
    this.owners.note(change, is.spec.deletionPolicy === 'Delete' ? is.metadata.uid : undefined);
    if (deleted) return;
    if (restored) this.restored(is);
    else if (was) this.changed(was, is);
  }

  /** What is there at a monitor, but for these. */
  but(monitor: number): readonly KeptThing[] {
    return this.at(monitor).filter((thing) => !this.things.has(thing) && !this.owners.has(thing.owner));
  }

  /** A restore has brought this state of a set back. */
  private restored({ spec, status }: MonitoredStatefulSet): void {
    const records = status?.registrations ?? [];
    const known = new Set([spec.monitorEndpoint, ...records.map(({ endpoint }) => endpoint)]);
    const isRecorded = ({ token }: KeptThing): boolean => records.some((record) => record.token === token);
    const note = (): void => {
      for (const [index, endpoint] of endpoints.entries()) {
        const isBlind = this.world.providers[index]?.refused.has('GET') === true;
        const things = this.at(index).filter((thing) => !known.has(endpoint) || (isBlind && !isRecorded(thing)));
        for (const thing of things) this.things.add(thing);
      }
    };
    note();
    // The call that was on its way is carried out a moment later.
    this.world.cluster.clock.after(onItsWayMs, note);
  }

  private changed(before: MonitoredStatefulSet, after: MonitoredStatefulSet): void {
    const { monitorEndpoint } = before.spec;
    const left = endpoints.findIndex((endpoint) => endpoint === monitorEndpoint);
    if (!wasRestored(this.world.cluster) || after.spec.monitorEndpoint === monitorEndpoint) return;
    const isRecorded = before.status?.registrations?.some(({ endpoint }) => endpoint === monitorEndpoint) === true;
    const isDown = this.world.providers[left]?.outage !== undefined;
    const isEarly = this.world.cluster.clock.now() < runsSince(this.world) + recordMs;
    if ((isDown || isEarly) && !isRecorded) for (const thing of this.at(left)) this.things.add(thing);
  }

  private at(monitor: number): readonly KeptThing[] {
    return this.world.providers[monitor]?.present() ?? [];
  }
}
