import type { ObjectMeta } from '@ordinal/client';
import type { Operator, SimulatedCluster } from '@ordinal/simulator';
import { runsSince } from './runs-since.ts';

/**
 * How long an operator that runs takes at most to give its finalizer to what a restore has brought back without it, in milliseconds: the API server is away for two seconds, everything is
 * listed, and a write that fails is repeated.
 */
const holdMs = 10_000;

/** A change of an object in the store. */
interface Change {
  readonly before?: { readonly metadata: ObjectMeta } | undefined;
  readonly after: { readonly metadata: ObjectMeta };
  readonly deleted: boolean;
  readonly restored?: boolean;
}

/**
 * The owners that nothing in the cluster shows after a restore of etcd, and whose things no client removes. Either the object is lost with its UID, or the older state shows it without the operator's
 * finalizer and it is deleted before an operator that runs could have given it one again. None may come to it after that (I25).
 */
export class LostOwners {
  private readonly lost = new Set<string>();
  /** The UIDs of the objects that were brought back without the operator's finalizer, and have not had it since. */
  private readonly unheld = new Set<string>();
  private readonly world: { readonly cluster: SimulatedCluster; readonly operator: Operator };
  private readonly finalizer: string;

  constructor(world: { readonly cluster: SimulatedCluster; readonly operator: Operator }, finalizer: string) {
    this.world = world;
    this.finalizer = finalizer;
  }

  /** An object has changed. `mark` is the owner's mark at what goes with the object; undefined where that stays. */
  note({ before, after: { metadata }, deleted, restored = false }: Change, mark: string | undefined): void {
    const { uid, deletionTimestamp, finalizers } = metadata;
    const isHeld = finalizers?.includes(this.finalizer) === true;
    if (isHeld) this.unheld.delete(uid);
    if (restored && deleted) this.lost.add(uid);
    else if (restored && !isHeld) this.unheld.add(uid);
    if (restored || mark === undefined) return;
    const isDeletion = before?.metadata.deletionTimestamp === undefined && (deleted || deletionTimestamp !== undefined);
    if (isDeletion && this.unheld.has(uid) && !this.hadTime()) this.lost.add(mark);
  }

  /** Whether no client removes what carries this owner's mark. */
  has(mark: string): boolean {
    return this.lost.has(mark);
  }

  /** Whether the operator has run for long enough since the restore. */
  private hadTime(): boolean {
    return this.world.cluster.clock.now() >= runsSince(this.world) + holdMs;
  }
}
