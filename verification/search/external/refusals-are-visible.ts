import type { Condition, KubernetesObject } from '@ordinal/client';
import type { TestCluster } from '@ordinal/simulator';
import { cloudDatabaseMetrics } from '../../../libs/reconcilers/src/cloud-database/index.ts';
import { monitoredStatefulSetMetrics } from '../../../libs/reconcilers/src/monitored-stateful-set/index.ts';
import type { DatabaseWorld } from '../../../libs/reconcilers/test/external/database-world.ts';
import { databaseNow } from '../../../libs/reconcilers/test/external/database-world.ts';
import type { FakeProvider } from '../../../libs/reconcilers/test/external/fake-provider.ts';
import type { SetWorld } from '../../../libs/reconcilers/test/external/set-world.ts';
import { setNow } from '../../../libs/reconcilers/test/external/set-world.ts';

/** How long a failure may be without a trace, in milliseconds. */
const withinMs = 60_000;

/** What a provider answers that offers no look-ups: no failure. */
const noLookUp = 405;

/** What is watched over, and what of a failure it does not show. */
interface Watched {
  readonly cluster: TestCluster;
  readonly providers: readonly FakeProvider[];
  readonly events: readonly { readonly type: string; readonly at: number }[];
  /** What is missing of condition and metric; undefined where they say it, or there is nothing to say it of. */
  readonly missing: () => string | undefined;
  /** The object, while it is there. */
  readonly object: () => KubernetesObject | undefined;
}

type Broken = (what: string) => void;

/**
 * Watches over a history of a MonitoredStatefulSet: what a monitor refuses, and still refuses a minute later, shows by then in the conditions, in the metric and in an event. The event was
 * published since it began, or is younger than the pause between two of them. A monitor that has shown nothing of what there is meanwhile is excused. `broken` is called with what is missing.
 */
export function watchMonitors(world: SetWorld, broken: Broken): void {
  const { cluster, providers, events } = world;
  watch({ cluster, providers, events, missing: () => hiddenOfSet(world), object: () => setNow(cluster, 'db') }, broken);
}

/** What a set that can't get on does not show of it, in its condition and its gauge; undefined where both say so. */
export function hiddenOfSet({ cluster }: SetWorld): string | undefined {
  const set = setNow(cluster, 'db');
  const { status = 'absent' } = set?.status?.conditions?.find(({ type }) => type === 'Degraded') ?? {};
  if (status !== 'True') return `Degraded is ${status}`;
  return monitoredStatefulSetMetrics(set ? [set] : [], 0)[0]?.value === 1 ? undefined : 'the metric is 0';
}

/** The same of a CloudDatabase, its providers, its condition `Synced`, and the two gauges of this kind. */
export function watchProviders(world: DatabaseWorld, broken: Broken): void {
  const { cluster, provider, other, events } = world;
  const object = () => databaseNow(cluster, 'orders');
  watch({ cluster, providers: [provider, other], events, missing: () => hiddenOfDatabase(world), object }, broken);
}

/** What a database that can't get on does not show of it, in its condition and its gauges. */
export function hiddenOfDatabase({ cluster }: DatabaseWorld): string | undefined {
  const database = databaseNow(cluster, 'orders');
  const synced = database?.status?.conditions?.find(({ type }) => type === 'Synced');
  if (synced?.status !== 'False') return `Synced is ${said(synced)}`;
  const values = cloudDatabaseMetrics(database ? [database] : []).map(({ name, value }) => [name, value] as const);
  const valueOf = (end: string) => values.find(([name]) => name.endsWith(end))?.[1];
  const isShown = valueOf('_processing_error') === 1 || valueOf('_provider_reachable') === 0;
  return isShown ? undefined : `neither gauge says it, Synced is ${said(synced)}`;
}

const said = (condition: Condition | undefined): string =>
  condition === undefined ? 'absent' : `${condition.status} ${condition.reason}`;

/** Whether the operator still asks for this: of an object that is being deleted nothing is made or changed any more. */
const isNeeded = (method: string, object: KubernetesObject | undefined): boolean =>
  object !== undefined && (object.metadata.deletionTimestamp === undefined || !['POST', 'PATCH'].includes(method));

function watch({ cluster, providers, events, missing, object }: Watched, broken: Broken): void {
  const began = new Map<string, number>();
  providers.forEach((provider, index) => {
    const lasts = (method: string, status: number): boolean =>
      provider.outage === status || provider.refused.get(method) === status;
    provider.onRefusal = ({ method, status }) => {
      const key = `${index} ${method} ${status}`;
      if (status === noLookUp || began.has(key)) return;
      const at = cluster.clock.now();
      began.set(key, at);
      cluster.clock.after(withinMs, () => {
        began.delete(key);
        // A provider that has shown nothing meanwhile has answered, and not refused: the minute begins with the next refusal.
        if (!isNeeded(method, object()) || !lasts(method, status) || provider.deniedUntil > at) return;
        const hasEvent = events.some((event) => event.type === 'Warning' && event.at >= at - withinMs);
        const what = missing() ?? (hasEvent ? undefined : 'no event was published');
        if (what !== undefined) broken(`${method} was answered with ${status} a minute ago: ${what}`);
      });
    };
  });
}
