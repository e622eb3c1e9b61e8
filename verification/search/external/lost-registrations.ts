import type { MonitoredStatefulSet } from '@ordinal/api';
import { monitoredSetFinalizer } from '../../../libs/reconcilers/src/monitored-stateful-set/index.ts';
import { onItsWayMs, wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';
import type { KeptThing } from '../../../libs/reconcilers/test/external/fake-provider.ts';
import type { SetWorld } from '../../../libs/reconcilers/test/external/set-world.ts';
import { endpoints } from '../../../libs/reconcilers/test/external/set-world.ts';

const isHeld = ({ finalizers }: MonitoredStatefulSet['metadata']): boolean =>
  finalizers?.includes(monitoredSetFinalizer) === true;

/** For how long the operator does not read what a restore has brought back, in milliseconds: the API server is away for two seconds, and then everything is listed. */
const unreadMs = 3_000;

/**
 * The registrations that nothing in the cluster tells of after a restore of etcd: of a set that is lost with its UID; those that were there by then at a monitor which neither spec nor
 * status of the older state names; and those at a monitor that the spec alone names, and that is down until the spec names another, or that it names no more before the operator has read it; those that no record tells of at a monitor without look-ups; and those of a set that the older state
 * shows without the operator's finalizer, and that is deleted before it has one again.
 */
export class LostRegistrations {
  private readonly things = new Set<KeptThing>();
  private readonly sets = new Set<string>();
  /** The sets that were brought back without the operator's finalizer, and have not had it since. */
  private readonly unheld = new Set<string>();
  private readonly world: Pick<SetWorld, 'providers' | 'cluster'>;

  constructor(world: Pick<SetWorld, 'providers' | 'cluster'>) {
    this.world = world;
  }

  /** A restore has brought this state of a set back, or has taken it away. */
  restored({ metadata, spec, status }: MonitoredStatefulSet, isLost: boolean): void {
    if (isLost) this.sets.add(metadata.uid);
    if (isLost) return;
    if (!isHeld(metadata)) this.unheld.add(metadata.uid);
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

  /** The set was changed. */
  changed(before: MonitoredStatefulSet, after: MonitoredStatefulSet): void {
    const { monitorEndpoint } = before.spec;
    if (isHeld(after.metadata)) this.unheld.delete(after.metadata.uid);
    const left = endpoints.findIndex((endpoint) => endpoint === monitorEndpoint);
    if (!wasRestored(this.world.cluster) || after.spec.monitorEndpoint === monitorEndpoint) return;
    const isRecorded = before.status?.registrations?.some(({ endpoint }) => endpoint === monitorEndpoint) === true;
    const isDown = this.world.providers[left]?.outage !== undefined;
    const isUnread = this.world.cluster.clock.now() < (this.world.cluster.restores.at(-1) ?? 0) + unreadMs;
    if ((isDown || isUnread) && !isRecorded) for (const thing of this.at(left)) this.things.add(thing);
  }

  /** The set is deleted. Where a restore has taken the finalizer back, nothing keeps it, and none may come to it any more (I25). */
  deleted({ metadata: { uid } }: MonitoredStatefulSet): void {
    if (this.unheld.has(uid)) this.sets.add(uid);
  }

  /** What is there at a monitor, but for these. */
  but(monitor: number): readonly KeptThing[] {
    return this.at(monitor).filter((thing) => !this.things.has(thing) && !this.sets.has(thing.owner));
  }

  private at(monitor: number): readonly KeptThing[] {
    return this.world.providers[monitor]?.present() ?? [];
  }
}
