import type { Client } from './client.ts';
import type { Clock, Random } from './clock.ts';
import { systemClock } from './clock.ts';
import type { ResourceDescriptor } from './descriptor.ts';
import type { Call } from './internal/call.ts';
import type { ExchangeSettings } from './internal/exchange.ts';
import { Exchange } from './internal/exchange.ts';
import { withQuery } from './internal/path.ts';
import { podClient } from './internal/pod-client.ts';
import { kindClient } from './internal/resource-client.ts';
import type { RetryPolicy } from './internal/retry.ts';
import { defaultRetryPolicy } from './internal/retry.ts';
import type { WriteDefaults } from './internal/write.ts';
import { writeJson } from './json.ts';
import type { ClientMetrics } from './metrics.ts';
import type { KubernetesObject, KubernetesObjectInput } from './object.ts';
import type { Transport } from './transport.ts';

/** What a client is made of. */
export interface ClientOptions {
  readonly transport: Transport;
  /** Where deadlines and pauses come from: the machine's clock by default. */
  readonly clock?: Clock;
  /** Spreads the pauses before retries: `Math.random` by default. */
  readonly random?: Random;
  /** Recorded by the server as the manager of the fields that are written, where a write names no other. */
  readonly fieldManager?: string;
  /** `ordinal` by default. Say your program's name and version: it stands in the server's logs. */
  readonly userAgent?: string;
  /** For calls that bring no `timeoutMs` of their own: 60 s by default. Watches are bounded until their head has arrived. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  readonly metrics?: ClientMetrics;
}

/**
 * A client over a transport. It adds to the transport: types, deadlines, retry of what is safe to repeat, pauses that the server asks for,
 * errors with a code, and metrics.
 */
export function createClient(options: ClientOptions): Client {
  const { transport, clock = systemClock, random = Math.random, timeoutMs = 60_000 } = options;
  return assemble(
    {
      transport,
      clock,
      random,
      retry: { ...defaultRetryPolicy, ...options.retry },
      timeoutMs,
      headers: { 'user-agent': options.userAgent ?? 'ordinal' },
      repeatedHeaders: {},
      metrics: options.metrics,
      hold: { until: 0 },
    },
    { dryRun: false, fieldManager: options.fieldManager },
  );
}

function assemble(settings: ExchangeSettings, writes: WriteDefaults): Client {
  const exchange = new Exchange(settings);
  const context = { exchange, writes };
  const resources = <Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
  ) => kindClient(context, descriptor);
  return Object.assign(resources, {
    pods: podClient(context),
    dryRun: () => assemble(settings, { ...writes, dryRun: true }),
    impersonate: (user: Parameters<Client['impersonate']>[0]) => assemble(actingAs(settings, user), writes),
    request: (...[method, path, options = {}]: Parameters<Client['request']>) =>
      exchange.json(requestCall(writes, { method, path, options })),
    close: () => settings.transport.close(),
  });
}

// https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
function actingAs(settings: ExchangeSettings, user: Parameters<Client['impersonate']>[0]): ExchangeSettings {
  return {
    ...settings,
    headers: {
      ...settings.headers,
      'impersonate-user': user.name,
      ...(user.uid !== undefined && { 'impersonate-uid': user.uid }),
    },
    repeatedHeaders: {
      ...settings.repeatedHeaders,
      ...(user.groups !== undefined && user.groups.length > 0 && { 'impersonate-group': user.groups }),
    },
  };
}

function requestCall(
  writes: WriteDefaults,
  request: {
    readonly method: Call['method'];
    readonly path: string;
    readonly options: NonNullable<Parameters<Client['request']>[2]>;
  },
): Call {
  const { method, path, options } = request;
  const isRead = method === 'GET';
  return {
    verb: 'request',
    group: '',
    resource: '',
    subresource: '',
    object: '',
    method,
    path: !isRead && writes.dryRun ? withQuery(path, { dryRun: 'All' }) : path,
    headers: { ...(options.body !== undefined && { 'content-type': 'application/json' }), ...options.headers },
    ...(options.body !== undefined && { body: writeJson(options.body) }),
    repeatable: isRead ? 'read' : 'verdict',
    options,
  };
}
