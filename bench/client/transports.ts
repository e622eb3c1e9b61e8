// The ways to send a create to an API server from Node, side by side: node --conditions=ordinal-source bench/client/transports.ts [--creates 2500] [--at-a-time 10]. KUBECONFIG names a
// cluster that may be filled with ConfigMaps; BENCH_APISERVER_PID, on the same machine, adds its CPU. Each way runs in a process of its own.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { Pool } from 'undici';
import { httpTransport } from '@ordinal/client';
import { apiServer } from './contenders.ts';
import { readFlags } from '../../tools/flags/flags.ts';

const { values, positionals } = readFlags(
  'node --conditions=ordinal-source bench/client/transports.ts [--creates 2500] [--at-a-time 10] [WAY]…',
  {
    allowPositionals: true,
    options: {
      creates: { type: 'string', default: '2500' },
      'at-a-time': { type: 'string', default: '10' },
    },
  },
);
const kubeconfig = process.env['KUBECONFIG'];
if (kubeconfig === undefined) throw new Error('KUBECONFIG must name a cluster that may be filled with ConfigMaps');
const server = await apiServer(kubeconfig);
const { headers: credentials, tls } = await server.credentials();
const url = new URL(server.url);
const path = '/api/v1/namespaces/default/configmaps?fieldManager=bench';
const headersFor = (body: string): Record<string, string> => ({
  ...credentials,
  'content-type': 'application/json',
  accept: 'application/json',
  'user-agent': 'bench',
  'content-length': String(Buffer.byteLength(body)),
});

/** Sends one create; gives the status and the reply as text. */
type Send = (body: string) => Promise<readonly [number, string]>;

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString('utf8');
}

const ways: Readonly<Record<string, () => Send>> = {
  'undici, HTTP/1.1 pool': () => {
    const pool = new Pool(url.origin, { connect: { ca: tls.ca ?? '' }, connections: 32 });
    return async (body) => {
      const reply = await pool.request({ method: 'POST', path, headers: headersFor(body), body });
      return [reply.statusCode, await textOf(reply.body)];
    };
  },
  'node:https, keep-alive agent': () => {
    const agent = new HttpsAgent({ keepAlive: true, maxSockets: 32, ca: tls.ca });
    return (body) =>
      new Promise((resolve, reject) => {
        const options = { host: url.hostname, port: url.port, path, method: 'POST', agent, headers: headersFor(body) };
        const onReply = (reply: IncomingMessage): void =>
          void textOf(reply).then((text) => resolve([reply.statusCode ?? 0, text]), reject);
        requestHttps(options, onReply).on('error', reject).end(body);
      });
  },
  'node:http2, one session': () => {
    const session = connectHttp2(url.origin, { ca: tls.ca });
    return (body) =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':method': 'POST', ':path': path, ...headersFor(body) });
        let status = 0;
        stream.on('response', (head) => (status = Number(head[':status']))).on('error', reject);
        textOf(stream).then((text) => resolve([status, text]), reject);
        stream.end(body);
      });
  },
  ordinal: () => {
    const transport = httpTransport(server);
    return async (body) => {
      const reply = await transport.send({ method: 'POST', path, headers: headersWithoutLength(body), body });
      return [reply.status, await textOf(reply.body)];
    };
  },
};

function headersWithoutLength(body: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headersFor(body)).filter(([name]) => name !== 'content-length'));
}

/** CPU of the API server, in milliseconds; 0 where it is not known. */
function serverCpuMs(): number {
  const pid = process.env['BENCH_APISERVER_PID'];
  if (pid === undefined) return 0;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function measure(way: string): Promise<string> {
  const send = ways[way]?.();
  if (send === undefined) throw new Error(`there is no way ${way}`);
  let next = 0;
  const create = async (count: number): Promise<void> => {
    const end = next + count;
    const worker = async (): Promise<void> => {
      while (next < end) {
        const metadata = { name: `transport-${process.pid}-${next++}` };
        const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value: 'x'.repeat(400) } };
        const [status, text] = await send(JSON.stringify(object));
        if (status !== 201) throw new Error(`${way}: HTTP ${status}: ${text.slice(0, 200)}`);
        JSON.parse(text);
      }
    };
    await Promise.all(Array.from({ length: Number(values['at-a-time']) }, worker));
  };
  await create(300);
  const count = Number(values.creates);
  const [cpu, serverCpu, startedAt] = [process.cpuUsage(), serverCpuMs(), performance.now()];
  await create(count);
  const { user, system } = process.cpuUsage(cpu);
  const perThousand = (ms: number): string => ((ms * 1000) / count).toFixed(0);
  const rss = (process.memoryUsage().rss / 2 ** 20).toFixed(0);
  const cells = [(user + system) / 1000, serverCpuMs() - serverCpu, performance.now() - startedAt].map(perThousand);
  return `| ${way} | ${cells.join(' | ')} | ${rss} |`;
}

const [way] = positionals;
if (way === undefined) {
  console.log(
    '| for 1,000 creates | CPU, ms | API server CPU, ms | elapsed, ms | RSS at the end, MiB |\n|---|---:|---:|---:|---:|',
  );
  for (const one of Object.keys(ways)) {
    const args = ['--conditions=ordinal-source', '--max-semi-space-size=2', import.meta.filename, one];
    const options = [`--creates=${values.creates}`, `--at-a-time=${values['at-a-time']}`];
    process.stdout.write(execFileSync(process.execPath, [...args, ...options], { encoding: 'utf8' }));
  }
} else {
  console.log(await measure(way));
  process.exit();
}
