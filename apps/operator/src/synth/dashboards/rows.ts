import type { Metric } from './served.ts';

/** A row of a dashboard: what it shows of the metrics. A metric is in the first row that takes it. */
export interface Row {
  readonly title: string;
  readonly takes: RegExp;
}

/** The rows of the operator's dashboard, which shows all that is not of a resource. */
export const operatorRows: readonly Row[] = [
  {
    title: 'Leadership and watches',
    takes: /^(leader_election_|ordinal_watch_trouble$|ordinal_store_|ordinal_cache_(silence|revision_lag|synced))/,
  },
  { title: 'Reconciles', takes: /^(controller_runtime_(?!webhook)|ordinal_(hot_loops|held_back|status|events)_)/ },
  { title: 'Queues', takes: /^workqueue_/ },
  { title: 'Calls to pods, monitors and providers', takes: /^ordinal_outside_/ },
  { title: 'Requests to the API server', takes: /^rest_client_/ },
  { title: 'Webhooks', takes: /^(controller_runtime|ordinal)_webhook_/ },
  { title: 'Caches', takes: /^ordinal_cache_/ },
  { title: 'Deletions', takes: /^operator_/ },
  { title: 'Process', takes: /^process_/ },
];

/** The rows of a kind's dashboard, below those of what is wrong: its own gauges, and what the controllers say of the kind. */
export const kindRows: readonly Row[] = [
  { title: 'Upgrades and reductions', takes: /_(upgrade|reduction)_/ },
  { title: 'Backups and restore drills', takes: /_(last_backup|backup|drill)_/ },
  { title: 'Deletions', takes: /^operator_/ },
  {
    title: 'Reconciles',
    takes:
      /^(controller_runtime_reconcile_(total|time)|workqueue_(depth|queue_duration)|ordinal_(status|cache_objects))/,
  },
];

/** The rows that have anything to show, each with its metrics. */
export function filledRows(
  rows: readonly Row[],
  metrics: readonly Metric[],
): readonly { readonly title: string; readonly metrics: readonly Metric[] }[] {
  const rowOf = ({ name }: Metric): Row | undefined => rows.find(({ takes }) => takes.test(name));
  return rows
    .map((row) => ({ title: row.title, metrics: metrics.filter((metric) => rowOf(metric) === row) }))
    .filter((row) => row.metrics.length > 0);
}
