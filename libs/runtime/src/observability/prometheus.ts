import type { ClientMetrics } from '@ordinal/client';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { ReconcileOutcome, RuntimeMetrics } from '../metrics/metrics.ts';
import type { WebhookMetrics } from '../webhook/metrics.ts';

/** controller-runtime's buckets for reconciles, in seconds. */
const reconcileBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Its buckets for queues, in seconds. */
const queueBuckets = [1e-3, 1e-2, 0.1, 1, 10, 60, 600];
/** The values of `result`, by how a reconcile may end. */
const results: readonly ReconcileOutcome[] = ['success', 'error', 'requeue', 'requeue_after'];

/**
 * The runtime's metrics in a registry, under the names that controller-runtime and client-go have for them, so that dashboards made for these work.
 * Labels are bounded: no metric has a label of a key or an object. What has no counterpart there begins with `ordinal_`.
 */
export function prometheusMetrics(registry: Registry): RuntimeMetrics {
  const registers = [registry];
  const counter = <const Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ): Counter<Label> => new Counter({ name, help, labelNames, registers });
  const gauge = <const Label extends string>(name: string, help: string, labelNames: readonly Label[]): Gauge<Label> =>
    new Gauge({ name, help, labelNames, registers });
  const histogram = <const Label extends string>(
    name: string,
    help: string,
    its: { readonly labelNames: readonly Label[]; readonly buckets: number[] },
  ): Histogram<Label> => new Histogram({ name, help, registers, ...its });

  const byController = ['controller'] as const;
  const byQueue = ['name'] as const;
  const reconciles = counter('controller_runtime_reconcile_total', 'Reconciles, by how they ended', [
    'controller',
    'result',
  ]);
  const errors = counter('controller_runtime_reconcile_errors_total', 'Reconciles that failed', byController);
  const terminal = counter(
    'controller_runtime_terminal_reconcile_errors_total',
    'Failures that no retry will mend',
    byController,
  );
  const timeouts = counter(
    'controller_runtime_reconcile_timeouts_total',
    'Reconciles that ran out of time',
    byController,
  );
  const times = histogram('controller_runtime_reconcile_time_seconds', 'How long reconciles took', {
    labelNames: byController,
    buckets: reconcileBuckets,
  });
  const workTimes = histogram('workqueue_work_duration_seconds', 'How long the work on a key took', {
    labelNames: byQueue,
    buckets: queueBuckets,
  });
  const waits = histogram('workqueue_queue_duration_seconds', 'How long keys waited', {
    labelNames: byQueue,
    buckets: queueBuckets,
  });
  const limit = gauge(
    'controller_runtime_max_concurrent_reconciles',
    'How many keys may be worked on at a time',
    byController,
  );
  const active = gauge('controller_runtime_active_workers', 'How many keys are worked on', byController);
  const depth = gauge('workqueue_depth', 'How many keys wait', byQueue);
  const adds = counter('workqueue_adds_total', 'How often a key was added', byQueue);
  const retries = counter('workqueue_retries_total', 'How often a key was added again after a failure', byQueue);
  const hotLoops = counter(
    'ordinal_hot_loops_total',
    'Keys that were woken again and again by their own writes, or asked for a reconcile at once again and again',
    byController,
  );
  const held = counter(
    'ordinal_held_back_total',
    'Keys put off until the caches showed their own writes',
    byController,
  );
  const leads = gauge('leader_election_master_status', 'Whether this process leads', byQueue);
  const terms = counter('leader_election_terms_total', 'How often this process has taken the lease', byQueue);
  const dropped = counter('ordinal_events_dropped_total', 'Events that were not published', []);
  const calls = gauge('ordinal_outside_calls', 'Calls to pods, monitors and providers that are under way', []);
  const lined = gauge('ordinal_outside_calls_waiting', 'Calls to the outside that wait for a place', []);
  const refused = counter(
    'ordinal_outside_calls_refused_total',
    'Calls to the outside for which there was no place',
    [],
  );
  const restored = counter(
    'ordinal_store_restored_total',
    'Times that the API server showed an older state than before',
    [],
  );
  return {
    // As controller-runtime does it: `rate` and `increase` can't see the first event of a series that begins with it.
    controllerAdded(controller) {
      for (const result of results) reconciles.inc({ controller, result }, 0);
      for (const byName of [errors, terminal, timeouts, hotLoops, held]) byName.inc({ controller }, 0);
      for (const byName of [adds, retries]) byName.inc({ name: controller }, 0);
    },
    reconciled(controller, result, seconds) {
      reconciles.inc({ controller, result });
      if (result === 'error') errors.inc({ controller });
      times.observe({ controller }, seconds);
      workTimes.observe({ name: controller }, seconds);
    },
    reconcileTimedOut: (controller) => timeouts.inc({ controller }),
    terminalError: (controller) => terminal.inc({ controller }),
    activeWorkers(controller, workers, max) {
      active.set({ controller }, workers);
      limit.set({ controller }, max);
    },
    queueAdded: (name) => adds.inc({ name }),
    queueDepth: (name, keys) => depth.set({ name }, keys),
    queueWaited: (name, seconds) => waits.observe({ name }, seconds),
    queueRetried: (name) => retries.inc({ name }),
    hotLoop: (controller) => hotLoops.inc({ controller }),
    heldBack: (controller) => held.inc({ controller }),
    leading(name, is) {
      leads.set({ name }, is ? 1 : 0);
      terms.inc({ name }, is ? 1 : 0);
    },
    eventDropped: () => dropped.inc(),
    outsideCalls(underWay, waiting) {
      calls.set(underWay);
      lined.set(waiting);
    },
    outsideRefused: () => refused.inc(),
    restored: () => restored.inc(),
  };
}

/** A client's requests in a registry, under client-go's names. */
export function prometheusClientMetrics(registry: Registry): ClientMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server, by verb and code',
    labelNames: ['verb', 'code', 'resource'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'How long requests to the API server took, by verb',
    labelNames: ['verb'] as const,
    buckets: reconcileBuckets,
    registers,
  });
  return {
    observe({ verb, code, resource, durationMs }) {
      requests.inc({ verb, code, resource });
      durations.observe({ verb }, durationMs / 1000);
    },
  };
}

/** A webhook server's requests in a registry, under controller-runtime's names. */
export function prometheusWebhookMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'controller_runtime_webhook_requests_total',
    help: 'Admission requests, by webhook and HTTP status',
    labelNames: ['webhook', 'code'] as const,
    registers,
  });
  const latency = new Histogram({
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'How long admission requests took',
    labelNames: ['webhook'] as const,
    buckets: reconcileBuckets,
    registers,
  });
  const inFlight = new Gauge({
    name: 'controller_runtime_webhook_requests_in_flight',
    help: 'Admission requests that are being judged',
    labelNames: ['webhook'] as const,
    registers,
  });
  const refused = new Counter({
    name: 'ordinal_webhook_refused_total',
    help: 'Requests to the webhooks’ port that were refused without a judgement, by HTTP status',
    labelNames: ['code'] as const,
    registers,
  });
  const dropped = new Counter({
    name: 'ordinal_webhook_connections_dropped_total',
    help: 'Connections to the webhooks’ port that were ended, by reason',
    labelNames: ['reason'] as const,
    registers,
  });
  return {
    refused: (code) => refused.inc({ code: String(code) }),
    dropped: (reason) => dropped.inc({ reason }),
    inFlight: (webhook, count) => inFlight.set({ webhook }, count),
    answered(webhook, code, seconds) {
      requests.inc({ webhook, code: String(code) });
      latency.observe({ webhook }, seconds);
    },
  };
}
