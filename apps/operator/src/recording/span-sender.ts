// Loaded only where traces are wanted: what it imports takes memory.
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Context, Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { ReconcileTrace, TracedRequest } from '@ordinal/runtime/recording';

/** What spans are sent with. */
export interface SpanSenderOptions {
  /** Where the collector takes traces, over OTLP/HTTP. */
  readonly url: string;
  readonly version: string;
  readonly identity: string;
  /** Called each time that spans could not be sent. */
  readonly onFailure: (error: unknown) => void;
}

/** How long the collector may take, in milliseconds: at its end the operator waits for no longer. */
const timeoutMs = 5_000;

/** The exporter, which says when it fails. */
function reporting(inner: SpanExporter, onFailure: (error: unknown) => void): SpanExporter {
  return {
    export: (spans, done) =>
      inner.export(spans, (result) => {
        if (result.code !== 0) onFailure(result.error ?? new Error('the collector refused them'));
        done(result);
      }),
    shutdown: () => inner.shutdown(),
    ...(inner.forceFlush && { forceFlush: () => inner.forceFlush?.() ?? Promise.resolve() }),
  };
}

/** Makes a span of each reconcile, with one of each of its requests in it, and sends them in batches. What the collector does not take in time is left out. */
export class SpanSender {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;

  constructor({ url, version, identity, onFailure }: SpanSenderOptions) {
    const exporter = reporting(new OTLPTraceExporter({ url, timeoutMillis: timeoutMs }), onFailure);
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': 'ordinal-operator',
        'service.version': version,
        'service.instance.id': identity,
      }),
      spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: timeoutMs })],
    });
    this.#tracer = this.#provider.getTracer('ordinal-operator', version);
  }

  /** Takes in a reconcile that has ended. */
  send(reconcile: ReconcileTrace): void {
    const { controller, kind, namespace, name, generation, at, endedAt, outcome, error, requests } = reconcile;
    const attributes = {
      'ordinal.controller': controller,
      'ordinal.resource.kind': kind,
      'k8s.namespace.name': namespace,
      'ordinal.resource.name': name,
      'ordinal.outcome': outcome,
      'ordinal.failures': reconcile.failures,
      'ordinal.decisions': reconcile.decisions,
      'ordinal.answers': reconcile.answers,
      ...(generation !== undefined && { 'ordinal.resource.generation': generation }),
      ...(reconcile.requeueAfterMs !== undefined && { 'ordinal.requeue_after_ms': reconcile.requeueAfterMs }),
      ...(error !== undefined && { 'error.type': error }),
    };
    const options = { startTime: at, attributes, kind: SpanKind.INTERNAL, root: true };
    const span = this.#tracer.startSpan(`reconcile ${kind}`, options, ROOT_CONTEXT);
    if (outcome !== 'Done') span.setStatus({ code: SpanStatusCode.ERROR });
    for (const request of requests) this.#request(request, trace.setSpan(ROOT_CONTEXT, span));
    span.end(endedAt);
  }

  /** Sends what waits, and ends. What could not be sent was reported. */
  async close(): Promise<void> {
    await this.#provider.shutdown().catch(() => undefined);
  }

  #request({ method, path, at, endedAt, status }: TracedRequest, within: Context): void {
    const attributes = {
      'http.request.method': method,
      'url.path': path,
      ...(status !== undefined && { 'http.response.status_code': status }),
    };
    const span = this.#tracer.startSpan(method, { startTime: at, attributes, kind: SpanKind.CLIENT }, within);
    if (status === undefined || status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedAt);
  }
}
