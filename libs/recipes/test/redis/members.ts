import { execFile, execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isThere } from '../loopback-set.ts';

const scripts = join(import.meta.dirname, '../../scripts/redis');

/** Which software the members run. */
export const software = process.env['RECIPE_STORE'] ?? 'redis';

/** Whether the scripts can be run with real servers here; undefined where they can. */
export const missing: string | undefined =
  process.platform !== 'linux'
    ? 'members have addresses 127.0.0.2, 127.0.0.3 … of their own on Linux only'
    : [`${software}-server`, `${software}-cli`, `${software}-check-rdb`, 'timeout', 'openssl'].find(
        (program) => !isThere(program),
      );

/** What the tests with real servers run with, or why they are skipped. */
export const reason = missing === undefined ? 'with real servers' : `no ${missing} here`;

/** The shell of the members: that of busybox, where it is installed. */
export const shell: readonly string[] = isThere('busybox') ? ['busybox', 'sh'] : ['sh'];

/** What all members of a set get. */
export interface SetOptions {
  /** Members keep their data on a volume. */
  readonly isPersistent?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** How many members the set is declared with. */
  readonly replicas?: number;
}

/** Members of one set, as processes on loopback addresses. The name server is a file with the addresses of the members that have a pod. */
export class MemberSet {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'recipe-redis-'));
  readonly #options: SetOptions;
  readonly #processes = new Map<number, ChildProcess>();
  readonly #pods = new Set<number>();
  #moves = 0;
  /** Below those that the system gives to others: one that listens everywhere would take it here as well. */
  readonly #port = 20_000 + Math.floor(Math.random() * 10_000);

  constructor(options: SetOptions = {}) {
    this.#options = options;
    cpSync(scripts, join(this.folder, 'recipe'), { recursive: true });
    mkdirSync(join(this.folder, 'bin'));
    const getent = join(this.folder, 'bin/getent');
    writeFileSync(getent, `#!/bin/sh\nsed 's/$/ STREAM/' ${join(this.folder, 'addresses')}\n`);
    chmodSync(getent, 0o755);
    if (options.replicas !== undefined)
      writeFileSync(join(this.folder, 'recipe/members-shop'), String(options.replicas));
    this.#writeAddresses();
  }

  /** A certificate for all members, which every one of them trusts. Returns its folder. */
  static certificate(): string {
    const folder = mkdtempSync(join(tmpdir(), 'recipe-tls-'));
    const [key, certificate] = ['tls.key', 'tls.crt'].map((name) => join(folder, name));
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=shop'].concat(
        ...[
          ['-keyout', key ?? ''],
          ['-out', certificate ?? ''],
        ],
      ),
      { stdio: 'ignore' },
    );
    cpSync(certificate ?? '', join(folder, 'ca.crt'));
    return folder;
  }

  /** The address of a member. */
  address(ordinal: number): string {
    return `127.0.0.${String(2 + 8 * (this.#moves % 30) + ((ordinal + 7 * this.#moves) % 8))}`;
  }

  /** Gives the members other addresses, in another order, from their next start on. */
  move(): void {
    this.#moves += 1;
    this.#writeAddresses();
  }

  /** Where the members listen. */
  get endpoints(): readonly { readonly host: string; readonly port: number }[] {
    return [...this.#processes.keys()].map((ordinal) => ({ host: this.address(ordinal), port: this.#port }));
  }

  /** Which of the keys `load:0`, `load:1` … a member does not have. */
  async missing(ordinal: number, count: number): Promise<readonly string[]> {
    const script =
      "local m = {} for i = 0, ARGV[1] - 1 do local k = 'load:' .. i if redis.call('exists', k) == 0 then m[#m + 1] = k end end return m";
    const found = await this.ask(ordinal, 'eval_ro', script, '0', String(count));
    return found === '' ? [] : found.split('\n');
  }

  #environment(ordinal: number): NodeJS.ProcessEnv {
    const data = join(this.folder, `claims/${String(ordinal)}`);
    mkdirSync(data, { recursive: true });
    return {
      ...process.env,
      PATH: [join(this.folder, 'bin'), process.env['PATH']].join(delimiter),
      STORE: software,
      PORT: String(this.#port),
      POD_NAME: `shop-${String(ordinal)}`,
      POD_IP: this.address(ordinal),
      TMPDIR: data,
      ...(this.#options.isPersistent ? { DATA: data } : {}),
      ...this.#options.environment,
    };
  }

  #writeAddresses(): void {
    writeFileSync(
      join(this.folder, 'addresses'),
      [...this.#pods].map((ordinal) => `${this.address(ordinal)}\n`).join(''),
    );
  }

  /** A pod that has an address, and no server yet. */
  addPod(...ordinals: readonly number[]): void {
    for (const ordinal of ordinals) this.#pods.add(ordinal);
    this.#writeAddresses();
  }

  /** Starts members. Each listens on its own address alone, and calls others from there. */
  start(...ordinals: readonly number[]): void {
    this.addPod(...ordinals);
    for (const ordinal of ordinals) {
      const process = spawn(
        shell[0] ?? 'sh',
        [...shell.slice(1), join(this.folder, 'recipe/start.sh'), '--bind', this.address(ordinal)],
        { env: this.#environment(ordinal), stdio: ['ignore', 'ignore', 'inherit'], cwd: this.folder },
      );
      this.#processes.set(ordinal, process);
    }
  }

  /** Ends a member, and its pod unless it stays. Resolves with the milliseconds that it took. */
  async stop(ordinal: number, how: { readonly keepsPod?: boolean } = {}): Promise<number> {
    const process = this.#processes.get(ordinal);
    this.#processes.delete(ordinal);
    const begun = performance.now();
    if (process && process.exitCode === null) {
      const ended = new Promise((resolve) => process.once('exit', resolve));
      process.kill('SIGTERM');
      await ended;
    }
    if (how.keepsPod !== true) {
      this.#pods.delete(ordinal);
      this.#writeAddresses();
    }
    return performance.now() - begun;
  }

  /** Kills a member's server, as the kernel does when memory runs out. Its container, the script, ends by that. */
  async crash(ordinal: number): Promise<void> {
    const process = this.#processes.get(ordinal);
    this.#processes.delete(ordinal);
    const ended = new Promise((resolve) => process?.once('exit', resolve));
    globalThis.process.kill(await this.#server(ordinal), 'SIGKILL');
    await ended;
  }

  /** Kills servers and scripts all at once. The pods stay. */
  async killAll(): Promise<void> {
    const ordinals = [...this.#processes.keys()];
    const servers = await Promise.all(ordinals.map((ordinal) => this.#server(ordinal)));
    const ended = ordinals.map(
      (ordinal) => new Promise((resolve) => this.#processes.get(ordinal)?.once('exit', resolve)),
    );
    for (const process of this.#processes.values()) process.kill('SIGKILL');
    for (const server of servers) globalThis.process.kill(server, 'SIGKILL');
    await Promise.all(ended);
    this.#processes.clear();
  }

  /** Halts a member's script, and not its server: it looks no more. Resolves with what lets it go on. */
  stopLooking(ordinal: number): () => void {
    const process = this.#processes.get(ordinal);
    process?.kill('SIGSTOP');
    return () => process?.kill('SIGCONT');
  }

  /** Writes as an application does, until the member has acknowledged it. */
  async write(ordinal: number, key: string, value: string): Promise<void> {
    await this.#until(`member ${String(ordinal)} takes no write`, async () => {
      const answer = await this.ask(ordinal, 'set', key, value);
      return answer === 'OK' ? answer : undefined;
    });
  }

  /** Has a leader hand over, as often as the operator tries that: on a busy machine the script may give up. Resolves with what the last one printed. */
  handOver(leader: number): Promise<string> {
    return this.#until(`member ${String(leader)} does not hand over`, async () => {
      const { code, output } = await this.run(leader, 'handoff.sh');
      return code === 0 ? output : undefined;
    });
  }

  async #until<T>(failure: string, attempt: () => Promise<T | undefined>): Promise<T> {
    const deadline = performance.now() + 60_000;
    for (;;) {
      const result = await attempt();
      if (result !== undefined) return result;
      if (performance.now() > deadline) throw new Error(failure);
      await sleep(100);
    }
  }

  /** What a member has on record of its leader; empty where it has nothing. */
  recordOf(ordinal: number): string {
    const record = join(this.claims, String(ordinal), 'lead');
    return existsSync(record) ? readFileSync(record, 'utf8') : '';
  }

  /** Waits until a member's server answers. */
  async answers(ordinal: number): Promise<void> {
    await this.#until(`member ${String(ordinal)} does not answer`, async () => {
      const answer = await this.ask(ordinal, 'ping');
      return answer === 'PONG' ? answer : undefined;
    });
  }

  /** The host and the port of a member, as a server is given them. */
  place(ordinal: number): readonly [string, string] {
    return [this.address(ordinal), String(this.#port)];
  }

  /** Has a leader fail over to another member, as a user does. */
  async failOver(leader: number, successor: number): Promise<void> {
    await this.ask(leader, 'failover', 'to', this.address(successor), String(this.#port));
    while (!(await this.ask(successor, 'role')).startsWith('master')) await sleep(20);
  }

  /** For how many whole seconds a member's server has run. */
  async uptime(ordinal: number): Promise<number> {
    return Number(/uptime_in_seconds:(\d+)/.exec(await this.ask(ordinal, 'info', 'server'))?.[1]);
  }

  async #server(ordinal: number): Promise<number> {
    return Number(/process_id:(\d+)/.exec(await this.ask(ordinal, 'info', 'server'))?.[1]);
  }

  /** Halts a member's server: it neither reads nor answers. Resolves with what lets it go on. */
  async halt(ordinal: number): Promise<() => void> {
    const server = await this.#server(ordinal);
    globalThis.process.kill(server, 'SIGSTOP');
    return () => globalThis.process.kill(server, 'SIGCONT');
  }

  /** Has a leader hand over to a member whose server is killed before it takes the lead. */
  async handOverInVain(leader: number, successor: number): Promise<void> {
    const server = await this.#server(successor);
    globalThis.process.kill(server, 'SIGSTOP');
    await this.ask(leader, 'failover', 'to', this.address(successor), String(this.#port), 'force', 'timeout', '1');
    while ((await this.ask(leader, 'role')).startsWith('master')) await sleep(20);
    globalThis.process.kill(server, 'SIGKILL');
  }

  /** Halts a replica that has no connection to the leader, so that what is written now does not reach it. Resolves with what lets it go on. */
  async part(ordinal: number, leader: number): Promise<() => void> {
    for (;;) {
      await this.ask(ordinal, 'replicaof', '127.0.0.1', '1');
      const goOn = await this.halt(ordinal);
      const replicas = await this.ask(leader, 'info', 'replication');
      if (!replicas.includes(`ip=${this.address(ordinal)},`)) return goOn;
      goOn();
    }
  }

  /** Runs one of the scripts in a member, or elsewhere with further variables. Resolves with its exit code and what it printed. */
  run(
    ordinal: number,
    script: string,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly code: number; readonly output: string }> {
    const { promise, resolve } = Promise.withResolvers<{ code: number; output: string }>();
    execFile(
      shell[0] ?? 'sh',
      [...shell.slice(1), join(this.folder, 'recipe', script)],
      { env: { ...this.#environment(ordinal), ...variables } },
      (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}`.trim() }),
    );
    return promise;
  }

  /** From the next question about versions on, what members say of their replication is lost on the way. Returns what ends that. */
  unheard(): () => void {
    const client = join(this.folder, `bin/${software}-cli`);
    const seen = join(this.folder, 'unheard');
    const real = execFileSync('which', [`${software}-cli`], { encoding: 'utf8' }).trim();
    const lines = [
      '#!/bin/sh',
      `case "$*" in *'info server'*) : >${seen} ;; esac`,
      `if [ -e ${seen} ]; then ${real} "$@" | grep -v repl_offset; else ${real} "$@"; fi`,
    ];
    writeFileSync(client, `${lines.join('\n')}\n`);
    chmodSync(client, 0o755);
    return () => rmSync(client);
  }

  /** A command of a member's server. */
  ask(ordinal: number, ...command: readonly string[]): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const user = this.#options.environment?.['STORE_USER'];
    const tls = this.#options.environment?.['TLS'];
    const by = [
      ...(user === undefined ? [] : ['--user', user]),
      ...(tls === undefined
        ? []
        : ['--tls', '--cacert', `${tls}/ca.crt`, '--cert', `${tls}/tls.crt`, '--key', `${tls}/tls.key`]),
    ];
    execFile(
      `${software}-cli`,
      ['-h', this.address(ordinal), '-p', String(this.#port), ...by, ...command],
      { env: this.#environment(ordinal) },
      (error, stdout, stderr) => resolve(error ? stderr : stdout.trim()),
    );
    return promise;
  }

  /** The same, as a client that does not know one of the variables. */
  askWithout(variable: string, ordinal: number, ...command: readonly string[]): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { [variable]: _, ...env } = this.#environment(ordinal);
    const place = ['-h', this.address(ordinal), '-p', String(this.#port)];
    execFile(`${software}-cli`, [...place, ...command], { env }, (_error, stdout, stderr) =>
      resolve(`${stdout}${stderr}`),
    );
    return promise;
  }

  /** The folder with the members' volumes, by ordinal. */
  get claims(): string {
    return join(this.folder, 'claims');
  }

  /** Removes what is on a member's volume. */
  loseVolume(ordinal: number): void {
    rmSync(join(this.claims, String(ordinal)), { recursive: true, force: true });
  }

  /** Keeps what is on a member's volume now. Returns what puts that back, as from a backup of the volume. */
  snapshot(ordinal: number): () => void {
    const kept = join(this.folder, `snapshot-${String(ordinal)}`);
    cpSync(join(this.claims, String(ordinal)), kept, { recursive: true });
    return () => {
      this.loseVolume(ordinal);
      cpSync(kept, join(this.claims, String(ordinal)), { recursive: true });
    };
  }

  /** Leaves the first half of a file. */
  cutOff(file: string): void {
    truncateSync(file, Math.floor(statSync(file).size / 2));
  }

  /** The members that say that they lead. */
  async leaders(): Promise<readonly number[]> {
    const asked = [...this.#processes.keys()].sort();
    const roles = await Promise.all(asked.map((ordinal) => this.ask(ordinal, 'role')));
    return asked.filter((_, at) => roles[at]?.startsWith('master'));
  }

  /** Waits until one member leads and all others are in step with it. Resolves with the leader. */
  async settled(seconds = 300): Promise<number> {
    const deadline = performance.now() + seconds * 1000;
    let seen = '';
    while (performance.now() < deadline) {
      const leaders = await this.leaders();
      const steps = await Promise.all([...this.#processes.keys()].map((ordinal) => this.run(ordinal, 'in-step.sh')));
      seen = `leaders ${leaders.join(' ')}, in step: ${steps.map(({ code }) => code).join(' ')}`;
      const replicas = await this.ask(leaders[0] ?? 0, 'info', 'replication');
      const isComplete = replicas.includes(`connected_slaves:${String(this.#processes.size - 1)}`);
      if (leaders.length === 1 && isComplete && steps.every(({ code }) => code === 0)) return leaders[0] ?? 0;
      await sleep(100);
    }
    throw new Error(`the members have not settled: ${seen}`);
  }

  /** Ends all members and removes what they have left. */
  async remove(): Promise<void> {
    await Promise.all([...this.#processes.keys()].map((ordinal) => this.stop(ordinal)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
