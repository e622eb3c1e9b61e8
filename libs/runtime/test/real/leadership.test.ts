import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { configMaps, createClient, httpTransport, leases, namespaces } from '@ordinal/client';
import type { Client } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { tcpProxy } from './tcp-proxy.ts';
import type { TcpProxy } from './tcp-proxy.ts';

// `npm run cluster -- control-plane`, then KUBECONFIG as it says. LEADER_ROUNDS: how often a leader is frozen, killed or cut off.
const kubeconfig = process.env['KUBECONFIG'];
const rounds = Number(process.env['LEADER_ROUNDS'] ?? 6);
const namespace = `leaders-${process.pid}`;
const child = fileURLToPath(new URL('leader-child.ts', import.meta.url));

interface Change {
  readonly revision: bigint;
  readonly by: string;
}

class Replica {
  readonly identity: string;
  readonly proxy: TcpProxy;
  #process: ChildProcess | undefined;

  constructor(identity: string, proxy: TcpProxy) {
    this.identity = identity;
    this.proxy = proxy;
  }

  start(): void {
    this.#process = spawn(
      process.execPath,
      ['--conditions=ordinal-source', child, this.identity, String(this.proxy.port), namespace],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
  }

  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    this.#process?.kill(name);
  }
}

/** Collects who wrote what, from the API server's own account of accepted writes. */
async function collect(
  events: AsyncIterable<{ readonly type: string; readonly object: unknown }>,
  into: Change[],
  by: (object: never) => string,
): Promise<void> {
  for await (const { type, object } of events) {
    if (type === 'BOOKMARK') continue;
    const { metadata } = object as { readonly metadata: { readonly resourceVersion: string } };
    into.push({ revision: BigInt(metadata.resourceVersion), by: by(object as never) });
  }
}

async function until(condition: () => boolean, limitMs: number): Promise<void> {
  for (const end = Date.now() + limitMs; Date.now() < end; await pause(20)) if (condition()) return;
  throw new Error('what the test waits for did not happen');
}

describe('two replicas at a real API server', async () => {
  if (kubeconfig === undefined) {
    it.skip('skipped: KUBECONFIG does not name one');
    return;
  }
  const server = await kubeconfigServer({ files: [kubeconfig] });
  const client: Client = createClient({ transport: httpTransport(server) });
  const url = new URL(server.url);
  const replicas: Replica[] = [];
  const watching = new AbortController();
  afterAll(async () => {
    watching.abort();
    for (const replica of replicas) {
      replica.signal('SIGKILL');
      await replica.proxy.close();
    }
    await client(namespaces).cluster().delete(namespace);
    await client.close();
  });

  it(
    `never have a write accepted of one that does not hold the lease, over ${rounds} faults`,
    async () => {
      await client(namespaces)
        .cluster()
        .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      const writes: Change[] = [];
      const holders: Change[] = [];
      const signal = watching.signal;
      const ended = [
        collect(
          client(configMaps).namespace(namespace).watch({ signal, labelSelector: 'ledger' }),
          writes,
          (map: { data?: Record<string, string> }) => map.data?.['writer'] ?? '',
        ),
        collect(
          client(leases).namespace(namespace).watch({ signal }),
          holders,
          (lease: { spec?: { holderIdentity?: string } }) => lease.spec?.holderIdentity ?? '',
        ),
      ];
      for (let n = 0; n < 5; n += 1) {
        const metadata = { name: `ledger-${n}`, labels: { ledger: 'yes' } };
        await client(configMaps).namespace(namespace).create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
      }
      for (const identity of ['one', 'two']) {
        const replica = new Replica(identity, await tcpProxy({ host: url.hostname, port: Number(url.port) }));
        replicas.push(replica);
        replica.start();
      }
      const takeOverMs: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const before = writes.length;
        await until(() => writes.length > before + 20, 30_000);
        const leader = replicas.find(({ identity }) => identity === writes.at(-1)?.by);
        const other = replicas.find((replica) => replica !== leader);
        if (leader === undefined || other === undefined) throw new Error('nobody leads');
        const at = Date.now();
        if (round % 3 === 0) leader.signal('SIGSTOP');
        else if (round % 3 === 1) leader.signal('SIGKILL');
        else leader.proxy.cut();
        await until(() => writes.at(-1)?.by === other.identity, 30_000);
        takeOverMs.push(Date.now() - at);
        await pause(300);
        if (round % 3 === 0) leader.signal('SIGCONT');
        else if (round % 3 === 1) leader.start();
        else leader.proxy.mend();
        // A process that has just started has to see the lease unchanged for its whole length before it may take it.
        await pause(4000);
      }
      watching.abort();
      await Promise.allSettled(ended);
      const holderAt = (revision: bigint): string => holders.findLast((change) => change.revision < revision)?.by ?? '';
      const strangers = writes.filter(({ by, revision }) => by !== '' && holderAt(revision) !== by);
      console.log(`${writes.length} writes, take-over in ms: ${takeOverMs.join(' ')}`);
      expect(strangers).toEqual([]);
    },
    60_000 + rounds * 20_000,
  );
});
