// Side by side in one run: node bench/client/run.ts [--pods 10000] [--rounds 2] [--only list]…; KUBECONFIG names a cluster that may be filled with pods.
// BENCH_APISERVER_PID, on the same machine, adds the API server's CPU.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { createClient, httpTransport, isApiError, namespaces, pods } from '@ordinal/client';
import { apiServer, contenders, namespace } from './contenders.ts';
import { readFlags } from '../../tools/flags/flags.ts';

const { values } = readFlags('node bench/client/run.ts [--pods 10000] [--rounds 2] [--only list]…', {
  options: {
    pods: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '2' },
    only: { type: 'string', multiple: true, default: [] },
  },
});
const kubeconfig = process.env['KUBECONFIG'];
if (kubeconfig === undefined) throw new Error('KUBECONFIG must name a cluster that may be filled with pods');

async function fill(file: string, count: number): Promise<void> {
  const client = createClient({ transport: httpTransport(await apiServer(file)), fieldManager: 'client-bench' });
  const created = client(namespaces)
    .cluster()
    .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await created.catch((error: unknown) => {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  });
  const accountIsThere = async (): Promise<unknown> =>
    client.request('GET', `/api/v1/namespaces/${namespace}/serviceaccounts/default`);
  for (let tries = 0; tries < 50 && !(await accountIsThere().catch(() => false)); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const present = await client(pods)
    .namespace(namespace)
    .list({ project: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }) });
  const names = new Set(present.items.map(({ metadata }) => metadata.name));
  const missing = Array.from({ length: count }, (_, index) => `pod-${index}`).filter((name) => !names.has(name));
  const worker = async (): Promise<void> => {
    for (let name = missing.pop(); name !== undefined; name = missing.pop()) {
      await client(pods)
        .namespace(namespace)
        .create({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, labels: { app: 'bench' }, annotations: { 'bench/filler': filler() } },
          // No scheduler has this name, so that the pods stay as they are.
          spec: {
            schedulerName: 'none',
            containers: [{ name: 'main', image: 'bench', env: [{ name: 'INDEX', value: name }] }],
          },
        });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  await client.close();
}

// As compressible as what annotations hold: names that repeat, values that do not.
function filler(): string {
  return JSON.stringify(Array.from({ length: 20 }, (_, index) => ({ name: `VARIABLE_${index}`, value: randomUUID() })));
}

interface Measured {
  readonly count: number;
  readonly ms: number;
  readonly holdMs: number;
  readonly cpuMs: number;
  readonly serverCpuMs: number;
  readonly peakRssMiB: number;
}

function measure(contender: string, scenario: string): Measured {
  const output = execFileSync(
    process.execPath,
    ['--no-warnings', script, contender, scenario, kubeconfig ?? '', process.env['BENCH_APISERVER_PID'] ?? ''],
    {
      encoding: 'utf8',
      timeout: 120_000,
    },
  );
  return JSON.parse(output) as Measured;
}

// Compiled, so that no contender pays for the stripping of types.
const script = join(import.meta.dirname, 'dist', 'measure.mjs');
buildSync({
  entryPoints: [join(import.meta.dirname, 'measure.ts')],
  outfile: script,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
});

await fill(kubeconfig, Number(values.pods));
console.log(
  '| scenario | contender | ms | per second | longest hold, ms | CPU, ms | API server CPU, ms | peak RSS, MiB |',
);
console.log('|---|---|---:|---:|---:|---:|---:|---:|');
const all = ['sequential', 'concurrent', 'create', 'list', 'watch'];
for (const scenario of values.only.length > 0 ? values.only : all) {
  for (const contender of Object.keys(contenders)) {
    // What a list keeps and whether it is compressed makes no difference to single objects.
    if (!['list', 'watch'].includes(scenario) && contender.includes(',')) continue;
    const rounds = Array.from({ length: Number(values.rounds) }, () => measure(contender, scenario));
    const [best] = rounds.sort((a, b) => a.ms - b.ms);
    if (best === undefined) continue;
    const numbers = [
      best.ms,
      (best.count / best.ms) * 1000,
      best.holdMs,
      best.cpuMs,
      best.serverCpuMs,
      best.peakRssMiB,
    ];
    const cells = numbers.map((number) => (Number.isNaN(number) ? '–' : number.toFixed(0)));
    console.log(`| ${scenario} (${best.count}) | ${contender} | ${cells.join(' | ')} |`);
  }
}
