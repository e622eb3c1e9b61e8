import type { Condition } from '@ordinal/client';
import type { Operator, SimulatedCluster } from '@ordinal/simulator';
import { isFromBefore } from '../../../libs/reconcilers/test/world/restored.ts';
import type { KeptThing } from '../../../libs/reconcilers/test/external/fake-provider.ts';

/** For how long a provider may not show what was made, in milliseconds: operators are configured with this. */
const unshownMs = 10_000;

/**
 * What an operator makes once more because it can't know of a restore of etcd: it was started after it, the older state shows nothing, and the provider does not show yet what was made in
 * the part that is lost. Such a second thing is no violation; but the status has to ask a person to delete one of the two, who does so, and all has to go on from there.
 */
export class UnknownRestores {
  private readonly second = new Set<KeptThing>();
  private readonly cluster: SimulatedCluster;
  private readonly operator: Operator;

  constructor({ cluster, operator }: { readonly cluster: SimulatedCluster; readonly operator: Operator }) {
    this.cluster = cluster;
    this.operator = operator;
  }

  /** Whether it is for such a restore that this was made beside the others. */
  explain(thing: KeptThing, others: readonly KeptThing[]): boolean {
    const now = this.cluster.clock.now();
    const isLost = ({ madeAt }: KeptThing): boolean => isFromBefore(this.cluster, madeAt) && now < madeAt + unshownMs;
    if (!this.wasStartedAfter() || !others.every(isLost)) return false;
    this.second.add(thing);
    return true;
  }

  /** The status of the owner says this: a person deletes what was made second, where it asks for that. */
  shown(conditions: readonly Condition[] | undefined): void {
    if (conditions?.some(({ reason }) => reason === 'Ambiguous') !== true) return;
    for (const thing of this.second) thing.goneAt = thing.deletingAt = this.cluster.clock.now();
    this.second.clear();
  }

  private wasStartedAfter(): boolean {
    const { cluster, operator } = this;
    const isStart = ({ actor, action }: { readonly actor: string; readonly action: string }): boolean =>
      action === 'start' && actor === `operator ${operator.name}`;
    const restoredAt = cluster.restores.at(-1) ?? Number.POSITIVE_INFINITY;
    return (cluster.trace.entries.findLast(isStart)?.at ?? 0) > restoredAt;
  }
}
