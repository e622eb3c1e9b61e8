import { cloudDatabases, clusteredCaches, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import type { Clock } from '@ordinal/client';
import {
  cloudDatabaseMetrics,
  clusteredCacheMetrics,
  kvStoreClusterMetrics,
  monitoredStatefulSetMetrics,
} from '@ordinal/reconcilers';
import type { CleanupMetrics, GaugeSample } from '@ordinal/reconcilers';
import type { Manager } from '@ordinal/runtime';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Kind } from './configuration/settings.ts';

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

/** What the state of resources says at this moment. */
type Samples = () => readonly GaugeSample[];

const place = ['namespace', 'name'];

/** Gauges of resources, by name: what they say, and the labels that they carry beside the resource's. */
const resourceGauges: Readonly<Record<string, { readonly help: string; readonly labels?: readonly string[] }>> = {
  ordinal_clusteredcache_upgrade_failed: { help: 'Whether the last upgrade has failed and nothing else is wanted.' },
  ordinal_clusteredcache_upgrade_seconds: { help: 'For how long an upgrade has been under way.' },
  ordinal_clusteredcache_upgrade_step_seconds: {
    help: 'For how long an upgrade has been at its step.',
    labels: ['step'],
  },
  ordinal_clusteredcache_upgrade_deadline_ratio: {
    help: 'How much of the progress deadline has passed since a member last came back. At 1 the upgrade fails.',
    labels: ['step'],
  },
  ordinal_clusteredcache_reduction_seconds: { help: 'For how long a reduction of the replicas has been waiting.' },
  ordinal_clusteredcache_gate_bypassed: { help: 'Whether a member was taken down past its gate.' },
  ordinal_clusteredcache_processing_error: { help: 'Whether reconciles fail.' },
  ordinal_kvstorecluster_upgrade_failed: { help: 'Whether the last upgrade has failed and nothing else is wanted.' },
  ordinal_kvstorecluster_upgrade_seconds: { help: 'For how long an upgrade has been under way.' },
  ordinal_kvstorecluster_upgrade_step_seconds: {
    help: 'For how long an upgrade has been at its step.',
    labels: ['step'],
  },
  ordinal_kvstorecluster_upgrade_deadline_ratio: {
    help: 'How much of the progress deadline has passed since a member last came back. At 1 the upgrade fails.',
    labels: ['step'],
  },
  ordinal_kvstorecluster_reduction_failed: {
    help: 'Whether the Job before a reduction has failed, and the members stay.',
  },
  ordinal_kvstorecluster_reduction_seconds: { help: 'For how long a reduction of the replicas has been waiting.' },
  ordinal_kvstorecluster_job_failed: {
    help: 'Whether a Job that is still asked for or waited for has failed.',
    labels: ['purpose'],
  },
  ordinal_kvstorecluster_last_backup_seconds: { help: 'How old the newest backup that succeeded is.' },
  ordinal_kvstorecluster_backup_failed: { help: 'Whether the backup that ended last has failed.' },
  ordinal_kvstorecluster_backup_overdue_seconds: { help: 'How late the backups of a schedule are.' },
  ordinal_kvstorecluster_backup_interval_seconds: { help: 'How far the times of a schedule are apart.' },
  ordinal_kvstorecluster_drill_failed: { help: 'Whether the restore drill that ended last has failed.' },
  ordinal_kvstorecluster_drill_last_success_timestamp_seconds: {
    help: 'When the newest restore drill began that succeeded, in seconds since 1970.',
  },
  ordinal_kvstorecluster_processing_error: { help: 'Whether reconciles fail.' },
  ordinal_monitoredstatefulset_processing_error: {
    help: 'Whether the workload, its registration or its clean-up is not as it should be.',
  },
  ordinal_monitoredstatefulset_monitor_registered: {
    help: 'Whether the set is registered with the monitor of its spec.',
  },
  ordinal_clouddatabase_provider_reachable: {
    help: 'Whether the provider answers, takes what it is asked, and there is an account to ask it with.',
  },
  ordinal_clouddatabase_processing_error: {
    help: 'Whether the provider does not have what the spec asks for, and nothing brings it there.',
  },
};

/** Serves the gauges of a kind, worked out from the objects themselves when they are scraped: none outlives its object. */
function observeResources(registry: Registry, kind: Lowercase<Kind>, samples: Samples): void {
  for (const [name, { help, labels = [] }] of Object.entries(resourceGauges)) {
    if (!name.startsWith(`ordinal_${kind}_`)) continue;
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

/** There is nothing to read before the manager has started, and a scrape may come earlier. */
const hasCaches = (manager: Manager): boolean => manager.caches().length > 0;

/** What the resources of these kinds themselves say, in gauges. */
export function observeKinds(
  registry: Registry,
  manager: Manager,
  { kinds, clock }: { readonly kinds: readonly Kind[]; readonly clock: Clock },
): void {
  if (kinds.includes('ClusteredCache')) {
    const caches = () => (hasCaches(manager) ? manager.reader('clustered-cache').list(clusteredCaches) : []);
    observeResources(registry, 'clusteredcache', () => clusteredCacheMetrics(caches(), clock.now()));
  }
  if (kinds.includes('KVStoreCluster')) {
    const stores = () => (hasCaches(manager) ? manager.reader('kv-store-cluster').list(kvStoreClusters) : []);
    observeResources(registry, 'kvstorecluster', () => kvStoreClusterMetrics(stores(), clock.now()));
  }
  if (kinds.includes('MonitoredStatefulSet')) {
    const sets = () => (hasCaches(manager) ? manager.reader('monitored-stateful-set').list(monitoredStatefulSets) : []);
    observeResources(registry, 'monitoredstatefulset', () => monitoredStatefulSetMetrics(sets()));
  }
  if (kinds.includes('CloudDatabase')) {
    const databases = () => (hasCaches(manager) ? manager.reader('cloud-database').list(cloudDatabases) : []);
    observeResources(registry, 'clouddatabase', () => cloudDatabaseMetrics(databases()));
  }
}

/** Counts the statuses that could not be believed, by kind. */
export function countMistrusted(registry: Registry): (kind: string) => void {
  const counter = new Counter({
    name: 'ordinal_status_not_verified_total',
    help: 'Statuses that the operator has not written as they stood, and has written anew.',
    labelNames: ['kind'],
    registers: [registry],
  });
  return (kind) => counter.inc({ kind });
}
