import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { configMaps, createClient, httpTransport, namespaces } from '@ordinal/client';
import type { Client } from '@ordinal/client';
import { auditedWrites, judge } from './audit.ts';
import type { TestControlPlane } from './control-plane.ts';
import { canStart, startControlPlane } from './control-plane.ts';
import { tcpProxy } from './tcp-proxy.ts';
import type { TcpProxy } from './tcp-proxy.ts';

// LEADER_ROUNDS: how often the leader of each pair is frozen, killed, cut off or stalled; LEADER_PAIRS: how many pairs of replicas at a time.
const rounds = Number(process.env['LEADER_ROUNDS'] ?? 0);
const pairs = Number(process.env['LEADER_PAIRS'] ?? 1);
const namespace = 'leaders';
const child = fileURLToPath(new URL('leader-child.ts', import.meta.url));
const pairNames = Array.from({ length: pairs }, (_, index) => `pair${index}`);

class Replica {
  readonly identity: string;
  readonly proxy: TcpProxy;
  readonly #pair: string;
  #process: ChildProcess | undefined;

  constructor(identity: string, proxy: TcpProxy, pair: string) {
    this.identity = identity;
    this.proxy = proxy;
    this.#pair = pair;
  }

  start(): void {
    const url = `https://127.0.0.1:${this.proxy.port}`;
    const args = [child, this.identity, url, `token-of-${this.identity}`, namespace, this.#pair];
    this.#process = spawn(process.execPath, ['--conditions=ordinal-source', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }

  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    this.#process?.kill(name);
  }
}

const faults = [
  {
    begin: (leader: Replica) => leader.signal('SIGSTOP'),
    end: (leader: Replica) => leader.signal('SIGCONT'),
  },
  { begin: (leader: Replica) => leader.signal('SIGKILL'), end: (leader: Replica) => leader.start() },
  { begin: (leader: Replica) => leader.proxy.cut(), end: (leader: Replica) => leader.proxy.mend() },
  // What the leader sends now arrives when another one leads.
  { begin: (leader: Replica) => leader.proxy.stall(), end: (leader: Replica) => leader.proxy.mend() },
] as const;

async function until(condition: () => boolean, limitMs: number, what: string): Promise<void> {
  for (const end = Date.now() + limitMs; Date.now() < end; await pause(20)) if (condition()) return;
  throw new Error(`${what} did not happen within ${limitMs} ms`);
}

/** Brings a fault upon the leader of a pair of replicas, again and again. Resolves with the times until the other one wrote, in milliseconds. */
async function takeOverTimes(
  pair: string,
  plane: TestControlPlane,
  user: Client,
  replicas: Replica[],
): Promise<number[]> {
  const ledgers = user(configMaps).namespace(namespace);
  for (let n = 0; n < 5; n += 1) {
    const metadata = { name: `${pair}-${n}`, labels: { ledger: pair } };
    await ledgers.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  }
  const watching = new AbortController();
  let count = 0;
  let writer = '';
  const { signal } = watching;
  // A server that is short of time ends watches of those who read too slowly.
  const watched = (async () => {
    while (!signal.aborted) {
      try {
        for await (const { object } of ledgers.watch({ labelSelector: `ledger=${pair}`, signal })) {
          count += 1;
          writer = object.data?.['writer'] ?? writer;
        }
      } catch {
        await pause(100);
      }
    }
  })();
  const two: Replica[] = [];
  for (const identity of [`${pair}-one`, `${pair}-two`]) {
    const replica = new Replica(identity, await tcpProxy({ host: '127.0.0.1', port: plane.port }), pair);
    replicas.push(replica);
    two.push(replica);
    replica.start();
  }
  const takeOverMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = count;
    await until(() => count > before + 20, 60_000, `round ${round} of ${pair}: writes of a leader`);
    const leader = two.find(({ identity }) => identity === writer);
    const other = two.find((replica) => replica !== leader);
    const fault = faults[round % faults.length];
    if (leader === undefined || other === undefined || fault === undefined) throw new Error('there is no leader');
    const at = Date.now();
    fault.begin(leader);
    await until(() => writer === other.identity, 60_000, `round ${round} of ${pair}: the take-over`);
    takeOverMs.push(Date.now() - at);
    await pause(300);
    fault.end(leader);
    // A process that has just started has to see the lease unchanged for its whole length before it may take it.
    await pause(4000);
  }
  watching.abort();
  await watched;
  return takeOverMs;
}

describe('two replicas at a real API server', async () => {
  if (rounds === 0 || !canStart) {
    it.skip(canStart ? 'skipped: LEADER_ROUNDS is not set' : 'skipped: there is no kube-apiserver');
    return;
  }
  const replicaUsers = pairNames.flatMap((pair) => [`${pair}-one`, `${pair}-two`]);
  const plane = await startControlPlane(['user', ...replicaUsers], namespace);
  const user = createClient({ transport: httpTransport(plane.as('user')) });
  const replicas: Replica[] = [];
  afterAll(async () => {
    for (const replica of replicas) {
      replica.signal('SIGKILL');
      await replica.proxy.close();
    }
    await user.close();
    await plane.stop();
  });

  it(
    `never have a write accepted of one that does not hold the lease, over ${rounds * pairs} faults`,
    async () => {
      await user(namespaces)
        .cluster()
        .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      const times = await Promise.all(pairNames.map((pair) => takeOverTimes(pair, plane, user, replicas)));
      const takeOverMs = times.flat().sort((left, right) => left - right);
      const writes = auditedWrites(plane.auditLog);
      const verdicts = pairNames.map((pair) => judge(writes, pair));
      const sum = (of: (one: (typeof verdicts)[number]) => number): number =>
        verdicts.reduce((total, one) => total + of(one), 0);
      const quantile = (share: number): number => takeOverMs[Math.floor((takeOverMs.length - 1) * share)] ?? 0;
      console.log(
        `${takeOverMs.length} faults; ${sum(({ accepted }) => accepted)} writes accepted;`,
        `${sum(({ refusedOfDeposed }) => refusedOfDeposed)} of deposed leaders refused;`,
        `take-over p50 ${quantile(0.5)}, p90 ${quantile(0.9)}, longest ${quantile(1)} ms`,
      );
      expect(verdicts.flatMap(({ byStrangers }) => byStrangers)).toEqual([]);
      expect(verdicts.every(({ accepted }) => accepted > 0)).toBe(true);
      // Or nothing came late, and nothing was tried: with five stalls that does not happen.
      if (takeOverMs.length >= 20) expect(sum(({ refusedOfDeposed }) => refusedOfDeposed)).toBeGreaterThan(0);
    },
    120_000 + rounds * 30_000,
  );
});
