import type { ClusteredCache } from '@ordinal/api';
import type { Clock } from '@ordinal/client';
import type { CleanupMetrics } from '@ordinal/reconcilers';
import { clusteredCacheMetrics } from '@ordinal/reconcilers';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

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
  const terminating = new Gauge({
    name: 'operator_terminating_resources_total',
    help: 'Resources that are being deleted and are not gone.',
    labelNames: ['kind'],
    registers,
  });
  return {
    finished: (kind, after) => duration.observe({ kind }, after),
    failed: (kind, code) => errors.inc({ kind, error: code }),
    terminating: (kind, count) => terminating.set({ kind }, count),
  };
}

/** The gauges of caches, worked out from the objects themselves when they are scraped: none outlives its object. */
export function observeCaches(registry: Registry, caches: () => readonly ClusteredCache[], clock: Clock): void {
  const samples = () => clusteredCacheMetrics(caches(), clock.now());
  const gauge = (name: string, help: string, labelNames: readonly string[]): void => {
    const registered = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        registered.reset();
        for (const sample of samples()) if (sample.name === name) registered.set({ ...sample.labels }, sample.value);
      },
    });
  };
  const place = ['namespace', 'name'];
  gauge(
    'ordinal_clusteredcache_upgrade_failed',
    'Whether the last upgrade has failed and nothing else is wanted.',
    place,
  );
  gauge('ordinal_clusteredcache_upgrade_step_seconds', 'For how long an upgrade has been at its step.', [
    ...place,
    'step',
  ]);
  gauge('ordinal_clusteredcache_gate_bypassed', 'Whether a member was taken down past its gate.', place);
  gauge('ordinal_clusteredcache_processing_error', 'Whether reconciles fail.', place);
}
