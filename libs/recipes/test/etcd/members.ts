import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const scripts = join(import.meta.dirname, '../../scripts/etcd');
const isThere = (program: string): boolean => spawnSync('which', [program]).status === 0;

/** Where the programs of a version are; those on the PATH by default. */
const folderOf = (variable: string): string | undefined => process.env[variable];

/** The programs that members run, and those of a later version, where RECIPE_ETCD and RECIPE_ETCD_NEXT name their folders. */
export const versions = { now: folderOf('RECIPE_ETCD'), next: folderOf('RECIPE_ETCD_NEXT') } as const;

/** What is missing here for the scripts to be run with real servers; undefined where nothing is. */
export const missing: string | undefined =
  process.platform !== 'linux'
    ? 'addresses 127.0.0.2, 127.0.0.3 … of each member'
    : ['busybox', 'openssl', versions.now ? join(versions.now, 'etcd') : 'etcd'].find((program) => !isThere(program));

/** What all members of a set get. */
export interface SetOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** How many members the set is declared with. 3 by default. */
  readonly replicas?: number;
}

/** What a script came to. */
export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Members of one set, as processes on loopback addresses. What the name server knows is in a file. */
export class MemberSet {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'recipe-etcd-'));
  readonly #environmentOfAll: Readonly<Record<string, string>>;
  readonly #processes = new Map<number, ChildProcess>();
  readonly #pods = new Set<number>();
  readonly #port = 20_000 + 2 * Math.floor(Math.random() * 5_000);

  constructor({ environment = {}, replicas = 3 }: SetOptions = {}) {
    this.#environmentOfAll = environment;
    cpSync(scripts, join(this.folder, 'recipe'), { recursive: true });
    this.declare(replicas);
    this.#writeHosts();
  }

  /** A certificate for all members, which every one of them trusts. Returns its folder. */
  static certificate(): string {
    const folder = mkdtempSync(join(tmpdir(), 'recipe-tls-'));
    const addresses = [1, 2, 3, 4, 5, 6].map((last) => `IP:127.0.0.${String(last)}`).join(',');
    const files = ['-keyout', join(folder, 'tls.key'), '-out', join(folder, 'tls.crt')];
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=shop'];
    execFileSync('openssl', [...request, '-addext', `subjectAltName=${addresses}`, ...files], { stdio: 'ignore' });
    cpSync(join(folder, 'tls.crt'), join(folder, 'ca.crt'));
    return folder;
  }

  /** Says with how many members the set is declared. */
  declare(replicas: number): void {
    writeFileSync(join(this.folder, 'recipe/members-shop'), `${String(replicas)}\n`);
  }

  /** The address of a member. */
  address(ordinal: number): string {
    return `127.0.0.${String(ordinal + 2)}`;
  }

  #environment(ordinal: number, programs = versions.now): NodeJS.ProcessEnv {
    const [data, tools] = [join(this.claims, String(ordinal)), join(this.folder, `tools/${String(ordinal)}`)];
    for (const folder of [data, tools]) mkdirSync(folder, { recursive: true });
    return {
      ...process.env,
      PATH: [...(programs === undefined ? [] : [programs]), process.env['PATH'] ?? ''].join(delimiter),
      HOSTS: join(this.folder, 'hosts'),
      PORT: String(this.#port),
      PEER_PORT: String(this.#port + 1),
      POD_NAME: `shop-${String(ordinal)}`,
      POD_IP: this.address(ordinal),
      DATA: data,
      TOOLS: tools,
      ...this.#environmentOfAll,
    };
  }

  #writeHosts(): void {
    const lines = [0, 1, 2, 3, 4].map(
      (ordinal) => `${String(ordinal)} ${this.address(ordinal)}${this.#pods.has(ordinal) ? '' : ' gone'}\n`,
    );
    writeFileSync(join(this.folder, 'hosts'), lines.join(''));
  }

  /** Starts members, in new pods unless they stayed. They run the later version's programs where that is said. */
  start(ordinals: readonly number[], programs = versions.now): void {
    for (const ordinal of ordinals) {
      if (!this.#pods.has(ordinal))
        rmSync(join(this.folder, `tools/${String(ordinal)}`), { recursive: true, force: true });
      this.#pods.add(ordinal);
    }
    this.#writeHosts();
    for (const ordinal of ordinals) {
      const started = spawn('busybox', ['sh', join(this.folder, 'recipe/start.sh'), '--log-level=error'], {
        env: this.#environment(ordinal, programs),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      started.stdout.on('data', (text: Buffer) => this.#said.push(`${String(ordinal)}: ${text.toString()}`));
      started.stderr.on('data', (text: Buffer) => this.#said.push(`${String(ordinal)}: ${text.toString()}`));
      this.#processes.set(ordinal, started);
    }
  }

  readonly #said: string[] = [];

  /** What the members have printed. */
  get log(): string {
    return this.#said.join('');
  }

  /** Whether a member's container runs. */
  runs(ordinal: number): boolean {
    return this.#processes.get(ordinal)?.exitCode === null;
  }

  /** Ends a member, and its pod unless it stays. Resolves with the milliseconds that it took. */
  async stop(ordinal: number, how: { readonly keepsPod?: boolean } = {}): Promise<number> {
    const stopped = this.#processes.get(ordinal);
    this.#processes.delete(ordinal);
    const begun = performance.now();
    if (stopped && stopped.exitCode === null && stopped.signalCode === null) {
      const ended = new Promise((resolve) => stopped.once('exit', resolve));
      stopped.kill('SIGTERM');
      await ended;
    }
    if (how.keepsPod !== true) this.#pods.delete(ordinal);
    this.#writeHosts();
    return performance.now() - begun;
  }

  /** Ends members with their pods. */
  async stopAll(ordinals: readonly number[] = [...this.#processes.keys()]): Promise<void> {
    await Promise.all(ordinals.map((ordinal) => this.stop(ordinal)));
  }

  /** Kills a member's server. Its container, the script, ends by that. */
  async crash(ordinal: number): Promise<void> {
    const ended = new Promise((resolve) => this.#processes.get(ordinal)?.once('exit', resolve));
    const pid = readFileSync(join(this.folder, `tools/${String(ordinal)}/pid`), 'utf8');
    process.kill(Number(pid), 'SIGKILL');
    await ended;
  }

  /** Runs one of the scripts in a member, or elsewhere with further variables. */
  run(ordinal: number, script: string, variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return this.#execute(['busybox', 'sh', join(this.folder, 'recipe', script)], {
      ...this.#environment(ordinal),
      ...variables,
    });
  }

  /** A command to a member as its clients give it. */
  async ask(ordinal: number, ...command: readonly string[]): Promise<string> {
    const { output } = await this.askWith(this.#environmentOfAll['TLS'], ordinal, ...command);
    return output;
  }

  /** The same, with the certificate in a folder. */
  askWith(tls: string | undefined, ordinal: number, ...command: readonly string[]): Promise<Ended> {
    const by =
      tls === undefined ? [] : ['--cacert', `${tls}/ca.crt`, '--cert', `${tls}/tls.crt`, '--key', `${tls}/tls.key`];
    return this.#execute(
      ['etcdctl', '--endpoints', this.url(ordinal, tls), '--command-timeout', '3s', ...by, ...command],
      this.#environment(ordinal),
    );
  }

  /** Where clients reach a member. */
  url(ordinal: number, tls = this.#environmentOfAll['TLS']): string {
    return `${tls === undefined ? 'http' : 'https'}://${this.address(ordinal)}:${String(this.#port)}`;
  }

  #execute([program = '', ...parameters]: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
    const { promise, resolve } = Promise.withResolvers<Ended>();
    execFile(program, parameters, { env: { ...env, ETCDCTL_API: '3' } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}`.trim() }),
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

  /** Whether a member has data. */
  hasData(ordinal: number): boolean {
    return existsSync(join(this.claims, String(ordinal), 'etcd/member/wal'));
  }

  /** Waits until all members that run vote, are in step with one leader, and are the only ones of the cluster. Resolves with the leader. */
  async settled(seconds = 150): Promise<number> {
    const deadline = performance.now() + seconds * 1000;
    let seen = '';
    while (performance.now() < deadline) {
      const running = [...this.#processes.keys()].sort();
      const found = await Promise.all(running.map((ordinal) => this.run(ordinal, 'in-step.sh')));
      const roles = await Promise.all(running.map((ordinal) => this.run(ordinal, 'role.sh')));
      const list = await this.ask(running[0] ?? 0, 'member', 'list');
      seen = `${found.map(({ output }) => output || 'in step').join(', ')}; ${roles.map(({ output }) => output).join(' ')}\n${list}`;
      const isComplete = list.split('\n').filter((line) => line.endsWith('false')).length === running.length;
      const leaders = running.filter((_, at) => roles[at]?.output === 'leader');
      if (isComplete && leaders.length === 1 && found.every(({ code }) => code === 0)) return leaders[0] ?? 0;
      await sleep(300);
    }
    throw new Error(`the members have not settled: ${seen}\n${this.log}`);
  }

  /** Waits until a script of a member answers so. */
  async answers(
    ordinal: number,
    script: string,
    wanted: { readonly code: number; readonly output?: string },
  ): Promise<void> {
    const deadline = performance.now() + 60_000;
    let last: Ended | undefined;
    while (performance.now() < deadline) {
      last = await this.run(ordinal, script);
      if (last.code === wanted.code && last.output.includes(wanted.output ?? '')) return;
      await sleep(200);
    }
    throw new Error(`${script} of member ${String(ordinal)} answers ${JSON.stringify(last)}\n${this.log}`);
  }

  /** Ends all members and removes what they have left. */
  async remove(): Promise<void> {
    await this.stopAll();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
