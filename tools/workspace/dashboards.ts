// Asks a real Prometheus every query of the dashboards, after it has scraped the operator of a demo: which panels have anything to show.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { OperatorInstall } from '@ordinal/constructs';
import { App } from 'cdk8s';
import { stringify } from 'yaml';
import { isQuiet } from './dashboards-quiet.ts';
import { findPrometheus } from './prometheus.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly endpoints?: readonly [{ readonly honorLabels?: boolean }] };
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** What Prometheus answers to a query over a range. */
interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [time: number, value: string])[];
}

/** The namespace that a cluster would have the operator's pod in. */
const operatorNamespace = 'ordinal-system';

// What cdk8s makes is declared as any[].
const manifests = new OperatorInstall(new App(), 'all', {
  crds: false,
  monitoring: true,
  dashboards: true,
}).toJson() as readonly Manifest[];

const panels = manifests
  .filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1')
  .flatMap(({ data = {} }) => Object.entries(data))
  .flatMap(([file, text]) =>
    (JSON.parse(text) as { readonly panels: readonly Panel[] }).panels
      .filter(({ targets }) => targets !== undefined)
      .map(({ title, targets = [] }) => ({ name: `${file.replace('.json', '')}: ${title}`, targets })),
  );

/** Scrapes as the ServiceMonitor says, but often: what the demo shows most briefly lasts for three seconds. */
function configuration(metricsPort: number): string {
  const monitor = manifests.find(({ kind }) => kind === 'ServiceMonitor')?.spec?.endpoints?.[0];
  const target = { targets: [`127.0.0.1:${metricsPort}`], labels: { namespace: operatorNamespace } };
  return stringify({
    global: { scrape_interval: '500ms', scrape_timeout: '500ms' },
    scrape_configs: [{ job_name: 'demo', honor_labels: monitor?.honorLabels ?? false, static_configs: [target] }],
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A TCP server's address.
  server.close();
  await once(server, 'close');
  return port;
}

/** What a query gives from the time on, with everything chosen in the dashboard. Throws where Prometheus does not take it. */
async function ask(url: string, expr: string, start: number): Promise<readonly Series[]> {
  const query = expr.replaceAll('$__rate_interval', '15s').replaceAll(/\$(job|namespace|name)\b/g, '.*');
  const parameters = new URLSearchParams({ query, start: String(start), end: String(Date.now() / 1000), step: '0.5' });
  const reply = await fetch(`${url}/api/v1/query_range`, { method: 'POST', body: parameters });
  const { data, error } = (await reply.json()) as {
    readonly data?: { readonly result: readonly Series[] };
    error?: string;
  };
  if (!data) throw new Error(`${error ?? reply.statusText}: ${query}`);
  return data.result.filter(({ values }) => values.some(([, value]) => value !== 'NaN'));
}

/** Plays the demo to its end. Rejects where it fails. */
async function playDemo(metricsPort: number): Promise<void> {
  const program = join(import.meta.dirname, '../demo/main.ts');
  const demo = spawn(process.execPath, ['--conditions=ordinal-source', program, `--metrics-port=${metricsPort}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  demo.stdout.on('data', (part: Buffer) => (printed += part.toString()));
  const [code] = (await once(demo, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the demo has failed:\n${printed}`);
}

async function ready(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const reply = await fetch(`${url}/-/ready`).catch(() => undefined);
    if (reply?.ok) return;
    await pause(200);
  }
  throw new Error('Prometheus did not get ready within twenty seconds');
}

/** Which panels are what they should not be: empty, or about the operator's namespace instead of a resource's. */
async function wrongPanels(url: string, start: number): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { name, targets } of panels) {
    const found: Series[] = [];
    for (const { expr } of targets) found.push(...(await ask(url, expr, start)));
    if (found.length === 0 && !isQuiet(name)) wrong.push(`${name} is empty`);
    if (found.some(({ metric }) => metric['namespace'] === operatorNamespace))
      wrong.push(`${name} shows the operator’s namespace`);
  }
  return wrong;
}

async function run(prometheus: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ordinal-dashboards-'));
  const [port, metricsPort] = [await freePort(), await freePort()];
  writeFileSync(join(folder, 'prometheus.yml'), configuration(metricsPort));
  const url = `http://127.0.0.1:${port}`;
  const flags = [`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  const server: ChildProcess = spawn(prometheus, [...flags, `--web.listen-address=127.0.0.1:${port}`], {
    stdio: 'ignore',
  });
  const ended = once(server, 'exit');
  try {
    await ready(url);
    const start = Date.now() / 1000;
    await playDemo(metricsPort);
    return await wrongPanels(url, start);
  } finally {
    server.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

const found = findPrometheus('prometheus');
if ('missing' in found) {
  console.log(`skipped: ${found.missing}\n0 passed, 0 failed, 1 skipped`);
} else {
  const wrong = await run(found.program);
  for (const line of wrong) console.error(line);
  console.log(`${panels.length - wrong.length} passed, ${wrong.length} failed`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
