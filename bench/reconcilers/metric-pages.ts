// How long a page of metrics blocks the event loop, by what stands in it: node --conditions=ordinal-source bench/reconcilers/metric-pages.ts
//
// Each page has 4 MiB and arrives over a loopback connection through the operator's own way to pods; what is told is the longest time for which a timer of 1 ms
// was late, the time in all, and the answer.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { ask, probesThrough } from '@ordinal/reconcilers';
import { createClient, httpTransport } from '@ordinal/client';
import { directHttp } from '../../apps/operator/src/direct-http.ts';

const size = 4 * 1024 * 1024;
const fill = (text: string): string => text.repeat(Math.ceil(size / text.length)).slice(0, size);
const random = Buffer.alloc(size);
for (let at = 0, state = 1; at < size; at += 1) {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
  random[at] = state >>> 16;
}

const pages: Readonly<Record<string, string | Buffer>> = {
  'a name and 256 KiB of spaces': `m${' '.repeat(256 * 1024)}`,
  'spaces behind a name': `m${fill(' ')}`,
  'lines of a name and 8 KiB of spaces': fill(`m${' '.repeat(8_192)}\n`),
  'a long label': `m{a="${fill('x')}`,
  'one line of something else': fill('x'),
  'samples of another metric': fill('another_metric{path="/",code="200"} 1\n'),
  newlines: fill('\n'),
  names: fill('m\n'),
  'samples of the metric': fill('m 1\n'),
  quotes: fill('"'),
  backslashes: fill('\\'),
  NULs: Buffer.alloc(size),
  'random bytes': random,
};

const server = createServer((request, response) => {
  response.end(pages[decodeURIComponent(request.url?.slice(1) ?? '')]);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo; // It listens on TCP.
const direct = directHttp({ allowedNetworks: ['127.0.0.0/8'] });
const api = {
  url: `http://127.0.0.1:${port}`,
  credentials: () => Promise.resolve({ headers: {}, tls: {} }),
  refresh: () => undefined,
};
const client = createClient({ transport: httpTransport(api) });
const probes = probesThrough(client, direct.http);
const pod = { namespace: 'shop', name: 'a', ip: '127.0.0.1' };

for (const name of ['newlines', ...Object.keys(pages)]) {
  const request = { path: `/${encodeURIComponent(name)}`, port, scheme: 'HTTP', method: 'GET', via: 'PodIP' } as const;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await pause(50);
  delay.enable();
  const start = performance.now();
  const { message } = await ask(
    { kind: 'metric', metric: { request, name: 'm', labels: {}, max: 5 }, timeoutMs: 30_000 },
    pod,
    { probes, signal: new AbortController().signal, outside: (work) => work() },
  );
  const took = performance.now() - start;
  await pause(20);
  delay.disable();
  console.log(
    `${name.padEnd(38)} ${(delay.max / 1e6 - 1).toFixed(1).padStart(7)} ms blocked  ${took.toFixed(0).padStart(6)} ms in all  ${message}`,
  );
}
server.close();
await direct.close();
await client.close();
