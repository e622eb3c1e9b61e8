import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient, httpTransport } from '@ordinal/client';
import type { ApiServer } from '@ordinal/client';

/** Where `npm run cluster -- build` puts etcd and kube-apiserver; KUBEBUILDER_ASSETS goes before. */
const binaries = process.env['KUBEBUILDER_ASSETS'] ?? join(homedir(), '.cache', 'ordinal-cluster', 'bin');

/** Whether there is a control plane to be had on this machine. */
export const canStart = existsSync(join(binaries, 'kube-apiserver')) && existsSync(join(binaries, 'etcd'));

/** etcd and an API server that a test may stop and start. Its audit log has every request, with the objects that were returned to writes. */
export interface TestControlPlane {
  readonly port: number;
  readonly auditLog: string;
  /** As one of the users that were named; all of them may do everything. */
  as(user: string): ApiServer;
  /** Kills the API server, and starts it again on the same data and port. Resolves when it is ready. */
  restart(): Promise<void>;
  /** Ends etcd, keeps a copy of its data, and starts it again. Resolves when the API server is ready. */
  backUp(): Promise<void>;
  /** Ends etcd, puts the data of the last copy in its place, and starts it again. By default the API server is restarted with it, as Kubernetes asks. Resolves when it is ready. */
  restore(options?: { readonly keepsServer?: boolean }): Promise<void>;
  stop(): Promise<void>;
}

const auditPolicy = (namespace: string): string => `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: RequestResponse
  namespaces: [${namespace}]
  verbs: [create, update, patch, delete]
- level: None
`;

/** Starts one; requests to write in `namespace` are audited. */
export async function startControlPlane(users: readonly string[], namespace: string): Promise<TestControlPlane> {
  const directory = mkdtempSync(join(tmpdir(), 'ordinal-control-plane-'));
  const at = (name: string): string => join(directory, name);
  mkdirSync(at('certs'));
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(at('sa.key'), keys.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(at('sa.pub'), keys.publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(at('tokens.csv'), users.map((user) => `token-of-${user},${user},${user},system:masters\n`).join(''));
  writeFileSync(at('audit.yaml'), auditPolicy(namespace));
  const [port, etcdPort, peerPort] = [await freePort(), await freePort(), await freePort()];
  const start = (program: string, args: readonly string[]): ChildProcess => {
    const log = openSync(at(`${program}.log`), 'a');
    const started = spawn(join(binaries, program), args, { stdio: ['ignore', log, log] });
    closeSync(log);
    return started;
  };
  const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`];
  const startEtcd = (): ChildProcess =>
    start('etcd', [
      ...['--data-dir', at('etcd'), '--unsafe-no-fsync', '--log-level', 'error'],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
    ]);
  let etcd = startEtcd();
  const startServer = (): ChildProcess =>
    start('kube-apiserver', [
      ...['--etcd-servers', client, '--secure-port', String(port), '--bind-address', '127.0.0.1'],
      ...['--cert-dir', at('certs'), '--token-auth-file', at('tokens.csv'), '--authorization-mode', 'RBAC'],
      ...['--service-account-issuer', 'https://kubernetes.default.svc', '--service-cluster-ip-range', '10.0.0.0/16'],
      ...['--service-account-key-file', at('sa.pub'), '--service-account-signing-key-file', at('sa.key')],
      ...['--disable-admission-plugins', 'ServiceAccount', '--audit-policy-file', at('audit.yaml')],
      ...['--audit-log-path', at('audit.log'), '--audit-log-maxsize', '4096'],
    ]);
  const as = (user: string): ApiServer => ({
    url: `https://127.0.0.1:${port}`,
    // It signs its own certificate when it starts.
    credentials: () =>
      Promise.resolve({ headers: { authorization: `Bearer token-of-${user}` }, tls: { rejectUnauthorized: false } }),
    refresh: () => undefined,
  });
  let server = startServer();
  const end = async (process: ChildProcess): Promise<void> => {
    if (process.exitCode !== null || process.signalCode !== null) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  };
  const plane: TestControlPlane = {
    port,
    auditLog: at('audit.log'),
    as,
    async restart() {
      await end(server);
      server = startServer();
      await ready(as(users[0] ?? ''));
    },
    async backUp() {
      await end(etcd);
      cpSync(at('etcd'), at('backup'), { recursive: true });
      etcd = startEtcd();
      await ready(as(users[0] ?? ''));
    },
    async restore({ keepsServer = false } = {}) {
      if (!keepsServer) await end(server);
      await end(etcd);
      rmSync(at('etcd'), { recursive: true });
      cpSync(at('backup'), at('etcd'), { recursive: true });
      etcd = startEtcd();
      if (!keepsServer) server = startServer();
      await ready(as(users[0] ?? ''));
    },
    async stop() {
      await end(server);
      await end(etcd);
      rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    await ready(as(users[0] ?? ''));
    return plane;
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

async function ready(server: ApiServer): Promise<void> {
  const client = createClient({ transport: httpTransport(server), timeoutMs: 2000 });
  try {
    for (const end = Date.now() + 120_000; Date.now() < end; await pause(200)) {
      const status = await client
        .request('GET', '/apis/coordination.k8s.io/v1/leases?limit=1')
        .then(() => client.request('GET', '/api/v1/namespaces/default'))
        .catch(() => undefined);
      if (status !== undefined) return;
    }
    throw new Error('the API server did not become ready within two minutes');
  } finally {
    await client.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // Of a TCP server that listens it is never a string.
  server.close();
  await once(server, 'close');
  return port;
}
