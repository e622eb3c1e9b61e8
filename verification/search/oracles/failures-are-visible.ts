import type { Condition, KubernetesObject } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import type { GaugeSample } from '@ordinal/lifecycle';
import { reconcileFailed } from '@ordinal/lifecycle';
import { Memories } from '../../../libs/reconcilers/test/world/restored.ts';

/** How long a failure may be without a trace, in milliseconds. */
const withinMs = 60_000;

/** What is tried again after a longer pause, in its first minutes, was not refused all the time. */
const longestPauseMs = 40_000;

/** What says by itself that an object is gone, is being made by another client, or waits for its gate: no failure. */
const noFailures: ReadonlySet<number> = new Set([404, 409, 410, 429]);

/** A write that is refused again and again. */
interface Refused {
  readonly since: number;
  readonly last: number;
  readonly times: number;
}

/** The resource of a history, as this oracle reads it. */
export interface Visible {
  readonly find: (cluster: TestCluster) => KubernetesObject | undefined;
  /** What its kind serves of it. */
  readonly gauges: (object: KubernetesObject, now: number) => readonly GaugeSample[];
}

const isTrue = (conditions: readonly Condition[], type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'True');

/** What of a failure an object does not show; undefined where it shows. */
function missingOf({ gauges }: Visible, object: KubernetesObject, now: number): string | undefined {
  const { conditions = [] } = ((object as { readonly status?: object }).status ?? {}) as {
    readonly conditions?: readonly Condition[];
  }; // Every kind has conditions.
  if (!isTrue(conditions, reconcileFailed)) return `${reconcileFailed} does not say so`;
  const says = gauges(object, now).some(({ name, value }) => name.endsWith('_processing_error') && value > 0);
  return says ? undefined : 'its gauge of errors is 0';
}

/**
 * Whatever the API server refuses the operator for longer than a minute shows: in the condition `ReconcileFailed`, and in the gauge `…_processing_error`. Writes of statuses are left out: what can't be written can't be
 * said there.
 */
export function failuresAreVisible(visible: Visible): Invariant {
  const memories = new Memories(() => new Map<string, Refused>());
  return {
    name: 'a write that is refused for a minute shows in a condition and a gauge',
    afterRequest: (cluster, { verb, kind, name = '', subresource = '', status }) => {
      if (subresource === 'status' || kind.startsWith('leases') || kind.startsWith('events')) return undefined;
      const refused = memories.of(cluster);
      const key = [verb, kind, name, subresource].join(' ');
      const before = refused.get(key);
      if (status < 400 || noFailures.has(status)) return void refused.delete(key);
      const now = cluster.clock.now();
      const lasts = before !== undefined && now - before.last <= longestPauseMs ? before : undefined;
      const seen = { since: lasts?.since ?? now, last: now, times: (lasts?.times ?? 0) + 1 };
      refused.set(key, seen);
      const object = visible.find(cluster);
      if (object === undefined || seen.times < 4 || now - seen.since <= withinMs) return undefined;
      const missing = missingOf(visible, object, now);
      return missing && `${key} has been refused for a minute (${status}), and ${missing}`;
    },
  };
}
