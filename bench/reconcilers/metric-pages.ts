// How long a page of metrics blocks the event loop, by what stands in it: node --conditions=ordinal-source bench/reconcilers/metric-pages.ts [rounds] [page]
//
// Each page has 4 MiB and arrives over a loopback connection from another process, straight from the pod and through the API server's proxy. For each way the
// longest turn of the event loop is printed, as the time that this process's thread ran and as the time that passed: where the machine has other work, the second
// holds what others took. Turns are distinguished by an immediate that sets the next one. `nothing` is the same with a page that is empty.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import type { MetricCheck } from '@ordinal/lifecycle';
import { ask, probesThrough } from '@ordinal/lifecycle';
import { createClient, httpTransport } from '@ordinal/client';
import { directHttp } from '../../apps/operator/src/direct-http.ts';
import { pageNames } from './pages.ts';

const [rounds, only] = [Number(process.argv[2] ?? 5), process.argv[3]];
const server = fork(new URL('page-server.ts', import.meta.url));
const [port] = (await once(server, 'message')) as [number]; // It says nothing else.
const direct = directHttp({ allowedNetworks: ['127.0.0.0/8'] });
const api = {
  url: `http://127.0.0.1:${port}`,
  credentials: () => Promise.resolve({ headers: {}, tls: {} }),
  refresh: () => undefined,
};
const client = createClient({ transport: httpTransport(api) });
const probes = probesThrough(client, direct.http);
const pod = { namespace: 'shop', name: 'a', ip: '127.0.0.1' };

/** The longest turn of the event loop while the work is done, in milliseconds. */
async function longestTurn(work: () => Promise<unknown>): Promise<{ readonly ran: number; readonly passed: number }> {
  const longest = { ran: 0, passed: 0 };
  let goesOn = true;
  let [ran, passed] = [ranMs(), performance.now()];
  const turn = (): void => {
    const [ranNow, passedNow] = [ranMs(), performance.now()];
    longest.ran = Math.max(longest.ran, ranNow - ran);
    longest.passed = Math.max(longest.passed, passedNow - passed);
    [ran, passed] = [ranNow, passedNow];
    if (goesOn) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  goesOn = false;
  await new Promise((resolve) => setImmediate(resolve));
  return longest;
}

function ranMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

async function measure(page: string, via: 'PodIP' | 'Proxy'): Promise<string> {
  const request = { path: `/${encodeURIComponent(page)}`, port, scheme: 'HTTP', method: 'GET', via } as const;
  const metric: MetricCheck = { request, name: 'm', labels: {}, max: 5 };
  const turns: { readonly ran: number; readonly passed: number }[] = [];
  let message = '';
  const start = performance.now();
  for (let round = 0; round < rounds; round += 1)
    turns.push(
      await longestTurn(async () => {
        const how = { probes, signal: new AbortController().signal, outside: <T>(work: () => Promise<T>) => work() };
        ({ message } = await ask({ kind: 'metric', metric, timeoutMs: 60_000 }, pod, how));
      }),
    );
  const inAll = (performance.now() - start) / rounds;
  const figure = (max: number): string => max.toFixed(1).padStart(6);
  const of = (kind: 'ran' | 'passed'): string => figure(Math.max(...turns.map((turn) => turn[kind])));
  return `${page.padEnd(38)} ${via.padEnd(5)} ${of('ran')} ms ran ${of('passed')} ms passed ${figure(inAll)} ms in all  ${message}`;
}

console.log(`load average ${loadavg()[0]?.toFixed(1)}; the longest of ${rounds} rounds`);
for (const page of pageNames.filter((name) => only === undefined || name === only))
  for (const via of ['PodIP', 'Proxy'] as const) console.log(await measure(page, via));
console.log(`load average ${loadavg()[0]?.toFixed(1)}`);
server.kill();
await direct.close();
await client.close();
