import type { Clock } from '@ordinal/client';
import { kinds } from '@ordinal/reconcilers';
import type { Manager } from '@ordinal/runtime';
import { Registry } from 'prom-client';
import { declareMetrics } from '../../metrics.ts';

/** A metric as the program declares it. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
}

/** What a registry keeps of a metric; its labels are left out of the declarations of prom-client. */
interface Registered {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly labelNames: readonly string[];
}

/** Everything that the program serves at `/metrics` with all its parts. */
export function servedMetrics(): readonly Metric[] {
  const registry = new Registry();
  const unread = (): never => {
    throw new TypeError('these metrics are declared, not collected');
  };
  const manager = new Proxy({} as Manager, { get: unread });
  const clock = new Proxy({} as Clock, { get: unread });
  declareMetrics(registry, { dryRun: false, webhooks: true }).observe({ manager, kinds, clock, startedAtMs: 0 });
  return registry.getMetricsAsArray().map((metric) => {
    const { name, help, type, labelNames } = metric as unknown as Registered; // As every metric of prom-client has them.
    return { name, help, type: type as Metric['type'], labels: labelNames };
  });
}
