import type { Clock, KubernetesObject } from '@ordinal/client';
import type { CleanupMetrics, GaugeSample, Gauges } from '@ordinal/lifecycle';
import { noCleanupMetrics } from '@ordinal/lifecycle';
import type { Kind } from '@ordinal/reconcilers';
import type { Manager } from '@ordinal/runtime';
import {
  observeManager,
  prometheusClientMetrics,
  prometheusMetrics,
  prometheusWebhookMetrics,
} from '@ordinal/runtime/observability';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { OperatorSettings } from './configuration/settings.ts';
import { observeProcess } from './process-metrics.ts';

/** What is read when the metrics are scraped. */
interface Scraped {
  readonly manager: Manager;
  readonly kinds: readonly Kind[];
  readonly clock: Clock;
  /** When the process began, in milliseconds since 1970. */
  readonly startedAtMs: number;
}

/** What the parts of the program count with. */
export interface OperatorMetrics {
  readonly client: ReturnType<typeof prometheusClientMetrics>;
  readonly manager: ReturnType<typeof prometheusMetrics>;
  readonly cleanup: CleanupMetrics;
  /** Counts the statuses that could not be believed, by kind. */
  readonly mistrusted: (kind: string) => void;
  /** Undefined where no webhooks are served. */
  readonly webhooks: ReturnType<typeof prometheusWebhookMetrics> | undefined;
  /** Adds what is read from these when the metrics are scraped. To be called once. */
  observe(scraped: Scraped): void;
}

/**
 * Declares all that the program serves at `/metrics` with these settings: here, and nowhere else. The dashboards are made of the same declarations.
 *
 * Throws where the registry has them already.
 */
export function declareMetrics(
  registry: Registry,
  { dryRun, webhooks }: Pick<OperatorSettings, 'dryRun' | 'webhooks'>,
): OperatorMetrics {
  return {
    client: prometheusClientMetrics(registry),
    manager: prometheusMetrics(registry),
    webhooks: webhooks ? prometheusWebhookMetrics(registry) : undefined,
    cleanup: dryRun ? noCleanupMetrics : cleanupMetrics(registry),
    mistrusted: countMistrusted(registry),
    observe({ manager, kinds, clock, startedAtMs }) {
      observeManager(registry, manager, clock);
      observeProcess(registry, startedAtMs);
      observeKinds(registry, manager, { kinds, clock });
    },
  };
}

/** From a second to a day: clean-ups wait for backups and clouds. */
const seconds = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400];

/** The clean-up metrics, under the names that dashboards of this pattern use. */
export function cleanupMetrics(registry: Registry): CleanupMetrics {
  const registers = [registry];
  const duration = new Histogram({
    name: 'operator_finalizer_cleanup_duration_seconds',
    help: 'From the deletion of a resource until its clean-up had succeeded.',
    labelNames: ['kind'],
    buckets: seconds,
    registers,
  });
  const errors = new Counter({
    name: 'operator_finalizer_cleanup_errors_total',
    help: 'Steps of clean-ups that failed, by kind of error.',
    labelNames: ['kind', 'error'],
    registers,
  });
  return {
    finished: (kind, after) => duration.observe({ kind }, after),
    failed: (kind, code) => errors.inc({ kind, error: code }),
  };
}

/** What the state of resources says now. */
type Samples = () => readonly GaugeSample[];

const place = ['namespace', 'name'];

/** Serves the gauges of a kind, worked out from the objects themselves when they are scraped: none outlives its object. */
export function observeGauges(registry: Registry, gauges: Gauges, samples: Samples): void {
  for (const [name, { help, labels = [] }] of Object.entries(gauges)) {
    const registered = new Gauge({
      name,
      help,
      labelNames: [...place, ...labels],
      registers: [registry],
      collect() {
        registered.reset();
        for (const sample of samples()) if (sample.name === name) registered.set({ ...sample.labels }, sample.value);
      },
    });
  }
}

const isTerminating = ({ metadata }: KubernetesObject): boolean => metadata.deletionTimestamp !== undefined;

/** Serves how many resources of each kind are being deleted, counted when they are scraped: none is counted for longer than it is there, whichever replica works on it. */
function observeTerminating(registry: Registry, counts: () => readonly (readonly [string, number])[]): void {
  const gauge = new Gauge({
    name: 'operator_terminating_resources_total',
    help: 'Resources that are being deleted and are not gone.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const [kind, count] of counts()) gauge.set({ kind }, count);
    },
  });
}

/** What the resources of these kinds themselves say, in gauges. */
export function observeKinds(
  registry: Registry,
  manager: Manager,
  { kinds, clock }: { readonly kinds: readonly Kind[]; readonly clock: Clock },
): void {
  // There is nothing to read before the manager has started, and a scrape may come earlier.
  const resourcesOf = ({ name, descriptor }: Kind) =>
    manager.caches().length > 0 ? manager.reader(name).list(descriptor) : [];
  observeTerminating(registry, () =>
    kinds.map((kind) => [kind.descriptor.kind, resourcesOf(kind).filter(isTerminating).length] as const),
  );
  for (const kind of kinds)
    observeGauges(registry, kind.metrics.gauges, () => kind.metrics.samples(resourcesOf(kind), clock.now()));
}

/** Counts the statuses that could not be believed, by kind. */
function countMistrusted(registry: Registry): (kind: string) => void {
  const counter = new Counter({
    name: 'ordinal_status_not_verified_total',
    help: 'Statuses that another client has written, and that the operator has written again.',
    labelNames: ['kind'],
    registers: [registry],
  });
  return (kind) => counter.inc({ kind });
}
