import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlaneEnvironment, ControlPlaneSource, LocatedComponents } from './locate.ts';
import { installDefinitions } from './definitions.ts';
import { locateControlPlane } from './locate.ts';
import type { BackgroundProcess } from './process.ts';
import { freePorts, startProcess } from './process.ts';

/** A real control plane, for tests. No node is part of it: no pod ever runs. */
export interface ControlPlane {
  readonly source: ControlPlaneSource;
  /** The text of a kubeconfig with an administrator, and the file that has it. */
  readonly kubeconfig: string;
  readonly kubeconfigFile: string;
  /** Whether the controllers run: they do wherever the controller manager was found. */
  readonly hasControllers: boolean;
  /** Ends everything, and removes its data. */
  readonly stop: () => Promise<void>;
}

/** How to start one. */
export interface ControlPlaneOptions {
  /** `process.env`, usually. */
  readonly environment: ControlPlaneEnvironment;
  /** Builds the components where they are missing and Go is there: the program `tools/cluster/cluster` with `build`. Absent: nothing is built. */
  readonly build?: { readonly program: string };
  /**
   * CustomResourceDefinitions that are there before the controllers begin: of kinds that come later the garbage collector takes notice only half a minute after
   * they have come.
   */
  readonly definitions?: readonly object[];
  /** Further flags of the API server, such as `--enable-admission-plugins=OwnerReferencesPermissionEnforcement`. None by default. */
  readonly apiServerFlags?: readonly string[];
  /** How long to wait until it is ready. 60 s by default. */
  readonly timeoutMs?: number;
}

/** A control plane, or why there is none, to be shown where tests are skipped. */
export type StartedControlPlane = ControlPlane | { readonly skipped: string };

/**
 * Starts etcd, the API server and, where it is there, the controller manager, on free ports of the loopback address. Their programs come from
 * `KUBEBUILDER_ASSETS`, the PATH, the cluster that the project has built, or a build with Go, in this order; `source` shows which. Rejects where what was found
 * does not start.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<StartedControlPlane> {
  let located = locateControlPlane(options.environment);
  if ('missing' in located && located.canBuild && options.build !== undefined) {
    await build(options.build.program, options.environment);
    const rebuilt = locateControlPlane(options.environment);
    if (!('missing' in rebuilt)) located = { ...rebuilt, source: 'build with Go' };
  }
  if ('missing' in located) return { skipped: located.missing };
  const directory = mkdtempSync(join(tmpdir(), 'control-plane-'));
  const processes: BackgroundProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const running of processes.toReversed()) await running.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    return {
      ...(await launch(located, {
        directory,
        processes,
        definitions: options.definitions ?? [],
        apiServerFlags: options.apiServerFlags ?? [],
        timeoutMs: options.timeoutMs ?? 60_000,
      })),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Launch {
  readonly directory: string;
  readonly processes: BackgroundProcess[];
  readonly definitions: readonly object[];
  readonly apiServerFlags: readonly string[];
  readonly timeoutMs: number;
}

async function launch(
  found: LocatedComponents,
  { directory, processes, definitions, apiServerFlags, timeoutMs }: Launch,
): Promise<Omit<ControlPlane, 'stop'>> {
  const [port = 0, etcdPort = 0, peerPort = 0] = await freePorts(3);
  const inDirectory = (name: string): string => join(directory, name);
  const start = (name: string, program: string, args: readonly string[]): void => {
    processes.push(startProcess(name, program, { args, log: inDirectory(`${name}.log`) }));
  };
  const token = randomBytes(16).toString('hex');
  writeFileSync(inDirectory('tokens.csv'), `${token},admin,admin,system:masters\n`, { mode: 0o600 });
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(inDirectory('sa.key'), keys.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(inDirectory('sa.pub'), keys.publicKey.export({ type: 'spki', format: 'pem' }));
  const [client, peer] = [etcdPort, peerPort].map((number) => `http://127.0.0.1:${number}`) as [string, string];
  start('etcd', found.etcd, [
    ...['--data-dir', inDirectory('etcd'), '--unsafe-no-fsync', '--log-level', 'error'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
  ]);
  start('kube-apiserver', found.apiServer, [
    ...[
      '--etcd-servers',
      client,
      '--secure-port',
      String(port),
      '--bind-address',
      '127.0.0.1',
      '--cert-dir',
      inDirectory('certs'),
    ],
    ...['--token-auth-file', inDirectory('tokens.csv'), '--authorization-mode', 'Node,RBAC', '--allow-privileged'],
    ...[
      '--service-account-issuer',
      'https://kubernetes.default.svc',
      '--service-account-key-file',
      inDirectory('sa.pub'),
    ],
    ...['--service-account-signing-key-file', inDirectory('sa.key'), '--service-cluster-ip-range', '10.96.0.0/16'],
    ...apiServerFlags,
  ]);
  // The server signs its own certificate when it starts; the file ends with the authority that it made for that.
  const authorityFile = join(inDirectory('certs'), 'apiserver.crt');
  const server = `https://127.0.0.1:${port}`;
  const until = (what: string, path: string): Promise<void> =>
    ready(processes, { what, url: `${server}${path}`, token, authorityFile, timeoutMs });
  await until('the API server', '/readyz');
  const kubeconfig = kubeconfigFor(server, token, readFileSync(authorityFile).toString('base64'));
  const kubeconfigFile = inDirectory('kubeconfig');
  writeFileSync(kubeconfigFile, kubeconfig, { mode: 0o600 });
  if (definitions.length > 0) await installDefinitions(kubeconfig, definitions, timeoutMs);
  if (found.controllerManager !== undefined) {
    start('kube-controller-manager', found.controllerManager, [
      ...[
        '--kubeconfig',
        kubeconfigFile,
        '--leader-elect=false',
        '--secure-port',
        '0',
        '--use-service-account-credentials',
      ],
      ...['--service-account-private-key-file', inDirectory('sa.key'), '--root-ca-file', authorityFile],
    ]);
    // Its first work. Before that nothing comes of what is created, and a test that waits for quiet would find it.
    await until('the controller manager', '/api/v1/namespaces/default/serviceaccounts/default');
  }
  return { source: found.source, kubeconfig, kubeconfigFile, hasControllers: found.controllerManager !== undefined };
}

interface Readiness {
  /** What is awaited. */
  readonly what: string;
  /** What is found once it is ready. */
  readonly url: string;
  readonly token: string;
  readonly authorityFile: string;
  readonly timeoutMs: number;
}

const lookAgainMs = 200;

async function ready(
  processes: readonly BackgroundProcess[],
  { what, url, token, authorityFile, timeoutMs }: Readiness,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await answers(url, token, authorityFile))) {
    for (const { name, ended } of processes) {
      const output = ended();
      if (output !== undefined) throw new Error(`${name} has ended: ${output}`);
    }
    if (performance.now() > deadline) throw new Error(`${what} was not ready after ${timeoutMs / 1000} s`);
    await pause(lookAgainMs);
  }
}

function answers(url: string, token: string, authorityFile: string): Promise<boolean> {
  return new Promise((resolve) => {
    let ca: Buffer;
    try {
      ca = readFileSync(authorityFile);
    } catch {
      resolve(false);
      return;
    }
    const request = get(url, { ca, headers: { authorization: `Bearer ${token}` } }, (reply) => {
      reply.resume();
      resolve(reply.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}

function kubeconfigFor(server: string, token: string, authority: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    'current-context': 'test',
  });
}

/** Builds the components; what the build has to say goes to the standard error output. */
function build(program: string, environment: ControlPlaneEnvironment): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['build'], { stdio: ['ignore', 2, 2], env: { ...environment } });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} build ended with exit code ${String(code)}`)),
    );
  });
}
