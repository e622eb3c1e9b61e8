import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@ordinal/client';
import type { Transport } from '@ordinal/client';
import type { ControllerDefinition, ReconcileContext } from '@ordinal/runtime';
import { silentLogger } from '@ordinal/runtime';
import { FlightRecorder } from '@ordinal/runtime/recording';
import { clusteredCaches } from '@ordinal/api';
import { expect, onTestFinished, test } from 'vitest';
import { parseSettings } from '../src/configuration/parse.ts';
import { options } from '../src/configuration/settings.ts';
import { openTraces } from '../src/recording/open-traces.ts';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number;
}

interface Span {
  readonly name: string;
  readonly spanId: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
}

/** A collector on the loopback address: what was sent to it, as it came. */
async function collector(status = 200) {
  const bodies: { readonly path: string | undefined; readonly text: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push({ path: request.url, text: Buffer.concat(chunks).toString() });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // It listens on a port.
  const spans = () =>
    bodies.flatMap(({ text }) => {
      const { resourceSpans } = JSON.parse(text) as {
        readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
      };
      return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
    });
  return { url: `http://127.0.0.1:${port}`, bodies, spans };
}

const planted = 'planted-secret-5c1f';

const cache = Object.freeze({
  apiVersion: 'cache.my.domain/v1',
  kind: 'ClusteredCache',
  metadata: { name: 'sessions', namespace: 'shop', uid: 'u', resourceVersion: '7', generation: 3 },
  spec: { image: planted },
});

/** Replies with what a request was not sent for. */
const transport: Transport = {
  send: ({ method }) =>
    Promise.resolve({
      status: method === 'GET' ? 200 : 409,
      headers: {},
      body: (async function* () {
        yield await Promise.resolve(Buffer.from(JSON.stringify({ message: planted })));
      })(),
    }),
  connect: () => Promise.reject(new Error('nothing is opened')),
  close: () => Promise.resolve(),
};

/** A controller that sees the cache, asks and writes something, and fails. */
function failing(sent: Transport): ControllerDefinition {
  return {
    name: 'clustered-cache',
    primary: clusteredCaches,
    ...{ watches: [], writes: [], timers: [], channels: [], options: {} },
    reconcile: async (key, context) => {
      context.cache.get(clusteredCaches, key);
      const path = `/api/v1/namespaces/shop/pods/sessions-0`;
      await sent.send({ method: 'GET', path: `${path}?watch=${planted}` });
      await sent.send({ method: 'PATCH', path, body: Buffer.from(planted) });
      throw new RangeError(`${planted} can’t be written`);
    },
  };
}

const context = {
  clock: systemClock,
  failures: 2,
  random: () => 0,
  log: silentLogger,
  signal: new AbortController().signal,
  cache: { get: () => cache },
  outside: (call: () => unknown) => call(),
} as unknown as ReconcileContext; // All that the controller above looks at.

async function traced(url: string, log = silentLogger): Promise<void> {
  const traces = await openTraces({
    ...{ settings: { otlpEndpoint: url }, clock: systemClock, log, version: '1.2', identity: 'replica-a' },
  });
  if (!traces) throw new Error('traces were wanted');
  const recorder = new FlightRecorder(traces.take);
  const definition = recorder.controller(failing(recorder.transport(transport)));
  await expect(definition.reconcile({ namespace: 'shop', name: 'sessions' }, context)).rejects.toThrow(RangeError);
  await traces.close();
}

test('a span of each reconcile, with its requests in it, and nothing that may be a secret', async () => {
  const { url, bodies, spans } = await collector();
  await traced(`${url}/`);
  expect(bodies.map(({ path }) => path)).toEqual(['/v1/traces']);
  const [reconcile] = spans().filter(({ name }) => name === 'reconcile ClusteredCache');
  const attributes = Object.fromEntries(
    (reconcile?.attributes ?? []).map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );
  expect(attributes).toEqual({
    'ordinal.controller': 'clustered-cache',
    'ordinal.resource.kind': 'ClusteredCache',
    'k8s.namespace.name': 'shop',
    'ordinal.resource.name': 'sessions',
    'ordinal.resource.generation': 3,
    'ordinal.outcome': 'Failed',
    'ordinal.failures': 2,
    'ordinal.decisions': 0,
    'ordinal.answers': 0,
    'error.type': 'RangeError',
  });
  expect(reconcile?.status.code).toBe(2);
  expect(BigInt(reconcile?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(reconcile?.startTimeUnixNano ?? 1));
  const requests = spans().filter(({ parentSpanId }) => parentSpanId === reconcile?.spanId);
  expect(requests.map(({ name, traceId }) => [name, traceId === reconcile?.traceId])).toEqual([
    ['GET', true],
    ['PATCH', true],
  ]);
  expect(JSON.stringify(requests)).toContain('/api/v1/namespaces/shop/pods/sessions-0');
  for (const { text } of bodies) {
    expect(text).not.toContain(planted);
    expect(text).toContain('replica-a');
  }
});

test('a collector that refuses is logged once, and harms nothing', async () => {
  const { url } = await collector(400);
  const errors: string[] = [];
  const log = { ...silentLogger, error: (_fields: object, message: string) => void errors.push(message) };
  await traced(url, log);
  expect(errors).toEqual(['traces can’t be sent']);
});

test('a password in the URL of the collector is not logged', async () => {
  const { url } = await collector(400);
  const lines: object[] = [];
  const note = (fields: object): void => void lines.push(fields);
  await traced(url.replace('//', `//operator:${planted}@`), { ...silentLogger, error: note, info: note });
  expect(lines).toMatchObject([{ collector: `${url}/v1/traces` }, { collector: `${url}/v1/traces` }]);
  expect(JSON.stringify(lines)).not.toContain(planted);
});

test('the variable that all programs share names the collector, and the operator’s own beats it', () => {
  const endpointOf = (environment: Readonly<Record<string, string>>, flags: readonly string[] = []) => {
    const parsed = parseSettings(options, { flags, environment });
    return parsed.ok ? parsed.settings.otlpEndpoint : parsed.problems;
  };
  const common = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://common:4318' };
  expect(endpointOf({})).toBe('');
  expect(endpointOf(common)).toBe('http://common:4318');
  expect(endpointOf({ ...common, ORDINAL_OTLP_ENDPOINT: 'http://own:4318' })).toBe('http://own:4318');
  expect(endpointOf(common, ['--otlp-endpoint=https://flag'])).toBe('https://flag');
  expect(endpointOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' })).toEqual([
    'OTEL_EXPORTER_OTLP_ENDPOINT is a URL, like http://collector.monitoring:4318, not "collector"',
  ]);
});

test('without a collector nothing is traced', async () => {
  const settings = { otlpEndpoint: '' };
  const parts = { clock: systemClock, log: silentLogger, version: '1', identity: 'a' };
  expect(await openTraces({ ...parts, settings })).toBeUndefined();
});
