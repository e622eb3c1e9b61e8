import type { MonitoredStatefulSet } from '@ordinal/api';
import { monitoredStatefulSetMetrics } from '../../src/monitored-stateful-set/index.ts';
import type { SetWorld } from './set-world.ts';
import { setNow } from './set-world.ts';

/** How long a failure may be without a trace, in milliseconds. */
const withinMs = 60_000;

/** What a monitor answers that offers no look-ups: no failure. */
const noLookUp = 405;

/**
 * Watches over a history: what a monitor refuses, and still refuses a minute later, shows by then in the conditions, in the metric and in an event that was published since it began or is
 * younger than the pause between two of them. `broken` is called with what is missing.
 */
export function watchRefusals(world: SetWorld, broken: (what: string) => void): void {
  const { cluster, keepers, events } = world;
  const began = new Map<string, number>();
  keepers.forEach((keeper, index) => {
    const lasts = (method: string, status: number): boolean =>
      keeper.outage === status || keeper.refused.get(method) === status;
    keeper.onRefusal = ({ method, status }) => {
      const key = `${index} ${method} ${status}`;
      if (status === noLookUp || began.has(key)) return;
      const at = cluster.clock.now();
      began.set(key, at);
      cluster.clock.after(withinMs, () => {
        began.delete(key);
        const set = setNow(cluster, 'db');
        if (set === undefined || !lasts(method, status)) return;
        const missing = missingOf(
          set,
          events.some((event) => event.type === 'Warning' && event.at >= at - withinMs),
        );
        if (missing !== undefined) broken(`${method} was answered with ${status} a minute ago: ${missing}`);
      });
    };
  });
}

function missingOf(set: MonitoredStatefulSet, hasEvent: boolean): string | undefined {
  const degraded = set.status?.conditions?.find(({ type }) => type === 'Degraded');
  if (degraded?.status !== 'True') return `Degraded is ${degraded?.status ?? 'absent'}`;
  if (monitoredStatefulSetMetrics([set])[0]?.value !== 1) return 'the metric is 0';
  return hasEvent ? undefined : 'no event was published';
}
