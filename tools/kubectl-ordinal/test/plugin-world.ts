import { createSecretKey } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transport, TransportRequest } from '@ordinal/client';
import { createClient } from '@ordinal/client';
import { ExternalError, probesThrough } from '@ordinal/lifecycle';
import type { KindEnvironment } from '@ordinal/reconcilers';
import { kinds, recordedEnvironment } from '@ordinal/reconcilers';
import { createManager } from '@ordinal/runtime';
import type { FlightRecorder } from '@ordinal/runtime/recording';
import type { Operator, OperatorEnvironment } from '@ordinal/simulator';
import { listen, SimulatedCluster } from '@ordinal/simulator';
import { run } from '../src/cli.ts';
import { AssumedMonitors } from '../src/what-if/monitors.ts';
import type { World } from '../src/world.ts';

const crdFolder = new URL('../../../libs/api/crds/', import.meta.url);
/** The definitions of the four kinds. */
export const crds = readdirSync(crdFolder).map((file) => readFileSync(new URL(file, crdFolder), 'utf8'));

/** The key with which the operator of these tests seals. */
export const sealKey = createSecretKey(Buffer.alloc(32, 'simulated key'));

const unreachable = () => Promise.reject(new ExternalError('Unreachable', 'there is no service in this test'));

/** What the operator of these tests reaches the world with: members over the simulated network, monitors that answer, and no provider. */
function environmentOf(
  { http }: OperatorEnvironment,
  client: ReturnType<typeof createClient>,
  monitors: KindEnvironment['monitors'],
): KindEnvironment {
  const traits = { repeatedCreate: 'returnsFirst', settleMs: 0, callTimeoutMs: 5_000 } as const;
  const calls = {
    get: unreachable,
    findByOwner: unreachable,
    create: unreachable,
    update: unreachable,
    delete: unreachable,
  };
  const system = { traits, ...calls };
  return {
    probes: probesThrough(client, async (url, { method, signal, reader }) => {
      const reply = await http(url, { method, signal });
      const body = reader();
      body.push(Buffer.from(await reply.text()));
      return { status: reply.status, body: body.text() };
    }),
    seals: { keys: () => [sealKey] },
    monitors,
    providers: { resolve: () => ({ account: 'nowhere', system }) },
    newPassword: () => 'not-random-in-tests',
  };
}

/** What a run of the program has come to. */
export interface Ran {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** A simulated cluster with the operator, that serves HTTP to the program as a user runs it. */
export interface PluginWorld {
  readonly cluster: SimulatedCluster;
  readonly operator: Operator;
  /** Runs a command line. */
  readonly run: (line: string, more?: Partial<World>) => Promise<Ran>;
  /** What the program has sent to the API server, in order: `GET /api/v1/…`. */
  readonly requests: readonly string[];
  /** The file that names this cluster to a program. */
  readonly kubeconfig: string;
  readonly stop: () => Promise<void>;
}

/** Every request of a user, written down on its way. */
const recording = (transport: Transport, requests: string[]): Transport => ({
  ...{ connect: (request) => transport.connect(request), close: () => transport.close() },
  send: (request: TransportRequest) => {
    requests.push(`${request.method} ${request.path}`);
    return transport.send(request);
  },
});

/** How the world differs from others. */
export interface PluginWorldOptions {
  /** The operator's events are written, as they are in a real cluster. */
  readonly hasEvents?: boolean;
  /** The providers of databases; absent: none can be reached. */
  readonly providers?: KindEnvironment['providers'];
  /** Monitors; absent: they answer. */
  readonly monitors?: KindEnvironment['monitors'];
  /** Records what the operator does. */
  readonly recorder?: FlightRecorder;
}

/** Starts the world. Time passes only while the cluster runs. */
export async function pluginWorld({
  hasEvents = false,
  providers,
  monitors = new AssumedMonitors([]),
  recorder,
}: PluginWorldOptions = {}): Promise<PluginWorld> {
  const cluster = await SimulatedCluster.start({ crds, namespaces: ['shop'] });
  for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2_000, http: () => 200 });
  cluster.image('cache:missing', { pull: 'fail' });
  cluster.image('cache:stubborn', {
    startsIn: 1_000,
    http: ({ url }) => (url.pathname === '/ready-for-shutdown' ? 503 : 200),
  });
  for (const version of ['1.0', '2.0']) cluster.image(`kvstore:${version}`, { startsIn: 1_000, http: () => 200 });
  cluster.image('kvstore:missing', { pull: 'fail' });
  const operator = cluster.operator('ordinal', (environment) => {
    const { clock, random, identity } = environment;
    const transport = recorder?.transport(environment.transport) ?? environment.transport;
    const client = createClient({ transport, clock, random, fieldManager: 'ordinal-operator' });
    const manager = createManager({
      client,
      clock,
      random,
      name: 'test/operator',
      identity,
      ...(!hasEvents && { events: { publish: () => undefined } }),
    });
    const reached = { ...environmentOf(environment, client, monitors), ...(providers && { providers }) };
    for (const kind of kinds)
      for (const definition of kind.controllers(recorder ? recordedEnvironment(reached, recorder) : reached))
        manager.add(recorder?.controller(definition) ?? definition);
    void manager.start();
    return Promise.resolve({ stop: () => manager.stop() });
  });
  const requests: string[] = [];
  const server = await listen({ transport: (identity) => recording(cluster.transport(identity), requests) });
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-ordinal-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigFor(server.url));
  return {
    cluster,
    operator,
    requests,
    kubeconfig,
    run: async (line, more = {}) => {
      const said = { out: '', err: '' };
      const exitCode = await run(line.split(' '), { ...worldOf(cluster, said, kubeconfig), ...more });
      return { exitCode, ...said };
    },
    stop: async () => {
      cluster.stop();
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function worldOf(cluster: SimulatedCluster, said: { out: string; err: string }, kubeconfig: string): World {
  return {
    environment: { KUBECONFIG: kubeconfig },
    clock: cluster.clock,
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    ...{ isTerminal: false, hasColors: false, columns: 120, rows: 40 },
    confirm: () => Promise.resolve(undefined),
    readFile: () => Promise.reject(new Error('no file in this test')),
    readBytes: () => Promise.reject(new Error('no file in this test')),
    runProgram: () => Promise.reject(new Error('no program in this test')),
    writeFile: () => Promise.reject(new Error('no file in this test')),
    interrupted: new AbortController().signal,
  };
}

const kubeconfigFor = (server: string): string =>
  JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'test' },
    clusters: [{ name: 'test', cluster: { server } }],
    users: [{ name: 'test', user: {} }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'shop' } }],
  });
