import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const scripts = join(import.meta.dirname, '../../scripts/postgresql');
const isThere = (program: string): boolean => spawnSync('which', [program]).status === 0;

/** Whether a process is there and has not ended: one that its parent has not waited for yet has. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Where Debian has the servers; a server on the PATH is taken first. */
const folders = existsSync('/usr/lib/postgresql')
  ? readdirSync('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin`)
  : [];
const hasServer = isThere('postgres') || folders.some((folder) => existsSync(join(folder, 'postgres')));

/** What is missing here for the scripts to be run with real servers; undefined where nothing is. */
export const missing: string | undefined =
  process.platform !== 'linux'
    ? 'addresses 127.0.0.2, 127.0.0.3 … of each member'
    : (['busybox', 'openssl'].find((program) => !isThere(program)) ?? (hasServer ? undefined : 'postgres'));

/** The user that members run as, which every Linux knows: PostgreSQL refuses root. */
const userId = 65_534;
const user: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: userId, gid: userId } : {};

/** Gives a file or a folder to the user that members run as. */
export function give(path: string): void {
  if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
}

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
  readonly folder: string = mkdtempSync(join(tmpdir(), 'recipe-pg-'));
  readonly #environmentOfAll: Readonly<Record<string, string>>;
  readonly #processes = new Map<number, ChildProcess>();
  readonly #pods = new Set<number>();
  readonly port: number = 20_000 + 2 * Math.floor(Math.random() * 5_000);

  constructor({ environment = {}, replicas = 3 }: SetOptions = {}) {
    this.#environmentOfAll = environment;
    cpSync(scripts, join(this.folder, 'recipe'), { recursive: true });
    chmodSync(this.folder, 0o755);
    this.declare(replicas);
    this.#writeHosts();
    for (const part of ['claims', 'tools', 'backups']) {
      mkdirSync(join(this.folder, part));
      give(join(this.folder, part));
    }
  }

  /** A certificate for all members, which every one of them trusts. Returns its folder. */
  static certificate(): string {
    const folder = mkdtempSync(join(tmpdir(), 'recipe-tls-'));
    const addresses = [1, 2, 3, 4, 5, 6].map((last) => `IP:127.0.0.${String(last)}`).join(',');
    const files = ['-keyout', join(folder, 'tls.key'), '-out', join(folder, 'tls.crt')];
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=shop'];
    execFileSync('openssl', [...request, '-addext', `subjectAltName=${addresses}`, ...files], { stdio: 'ignore' });
    cpSync(join(folder, 'tls.crt'), join(folder, 'ca.crt'));
    chmodSync(folder, 0o755);
    for (const file of ['tls.key', 'tls.crt', 'ca.crt']) give(join(folder, file));
    chmodSync(join(folder, 'tls.key'), 0o600);
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

  #environment(ordinal: number): NodeJS.ProcessEnv {
    const [data, tools] = [join(this.claims, String(ordinal)), join(this.folder, `tools/${String(ordinal)}`)];
    for (const folder of [data, tools]) {
      mkdirSync(folder, { recursive: true });
      give(folder);
    }
    return {
      ...process.env,
      PATH: [process.env['PATH'] ?? '', ...folders].join(delimiter),
      HOME: tools,
      HOSTS: join(this.folder, 'hosts'),
      PORT: String(this.port),
      STATE_PORT: String(this.port + 1),
      POD_NAME: `shop-${String(ordinal)}`,
      POD_IP: this.address(ordinal),
      DATA: data,
      TOOLS: tools,
      BACKUPS: this.backups,
      SUPERUSER_PASSWORD: String.raw`s:e'c\ret`,
      REPLICATION_PASSWORD: 'repl',
      ...this.#environmentOfAll,
    };
  }

  #writeHosts(): void {
    const lines = [0, 1, 2, 3, 4].map(
      (ordinal) => `${String(ordinal)} ${this.address(ordinal)}${this.#pods.has(ordinal) ? '' : ' gone'}\n`,
    );
    writeFileSync(join(this.folder, 'hosts'), lines.join(''));
  }

  /** Starts members, in new pods unless they stayed. */
  start(ordinals: readonly number[]): void {
    for (const ordinal of ordinals) {
      if (!this.#pods.has(ordinal))
        rmSync(join(this.folder, `tools/${String(ordinal)}`), { recursive: true, force: true });
      this.#pods.add(ordinal);
    }
    this.#writeHosts();
    for (const ordinal of ordinals) {
      const settings = ['fsync=off', 'shared_buffers=16MB', 'max_connections=60'];
      const started = spawn('busybox', ['sh', join(this.folder, 'recipe/start.sh'), ...settings], {
        ...user,
        env: this.#environment(ordinal),
        cwd: this.folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const note = (text: Buffer): void => {
        this.#said.push(
          ...text
            .toString()
            .trimEnd()
            .split('\n')
            .map((line) => `${new Date().toISOString().slice(14, 23)} ${String(ordinal)}: ${line}`),
        );
      };
      started.stdout.on('data', note);
      started.stderr.on('data', note);
      this.#processes.set(ordinal, started);
    }
  }

  /** Sends a signal to all processes of a member's container. */
  #signal(ordinal: number, signal: NodeJS.Signals): ReadonlySet<number> {
    const pid = this.#processes.get(ordinal)?.pid;
    if (pid === undefined) return new Set();
    const all = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    const parents = all
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number));
    const family = new Set([pid]);
    for (let before = 0; before < family.size;) {
      before = family.size;
      for (const [child = 0, parent = 0] of parents) if (family.has(parent)) family.add(child);
    }
    for (const member of family)
      try {
        process.kill(member, signal);
      } catch {
        // It has ended meanwhile.
      }
    return family;
  }

  readonly #said: string[] = [];

  /** What the members have printed. */
  get log(): string {
    return this.#said.join('\n');
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

  /** Kills all of a member's container at once, as a node that fails does, and its pod unless it stays. */
  async crash(ordinal: number, how: { readonly keepsPod?: boolean } = {}): Promise<void> {
    const crashed = this.#processes.get(ordinal);
    if (crashed?.exitCode === null) {
      const ended = new Promise((resolve) => crashed.once('exit', resolve));
      // Suspended, none begins another one.
      for (let known = 0; known < this.#signal(ordinal, 'SIGSTOP').size;) known = this.#signal(ordinal, 'SIGSTOP').size;
      const killed = this.#signal(ordinal, 'SIGKILL');
      await ended;
      // The server's own processes outlive it for a while, and a new one refuses to start beside them. A container ends with all that it has.
      while ([...killed].some(isRunning)) await sleep(20);
      // In the next container no process has the number of this one's server. Here one has it until its new parent has waited for it.
      rmSync(join(this.folder, 'claims', String(ordinal), 'pgdata', 'postmaster.pid'), { force: true });
      rmSync(join(this.folder, 'tools', String(ordinal), `.s.PGSQL.${String(this.port)}.lock`), { force: true });
    }
    this.#processes.delete(ordinal);
    if (how.keepsPod !== true) this.#pods.delete(ordinal);
    this.#writeHosts();
  }

  /** Suspends all of a member, or has it go on: it does not answer, and does not know it. */
  freeze(ordinal: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#signal(ordinal, signal);
  }

  /** Runs one of the scripts in a member, or elsewhere with further variables. */
  run(ordinal: number, command: string, variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const [script = '', ...parameters] = command.split(' -- ');
    return this.#execute(['busybox', 'sh', join(this.folder, 'recipe', script), ...parameters], {
      ...this.#environment(ordinal),
      ...variables,
    });
  }

  /** A statement to a member as its clients give it. */
  async ask(ordinal: number, statement: string): Promise<string> {
    const { output } = await this.askWith('', ordinal, statement);
    return output;
  }

  /** The same, with further parameters of the connection. */
  askWith(parameters: string, ordinal: number, statement: string): Promise<Ended> {
    const to = `host=${this.address(ordinal)} port=${String(this.port)} user=postgres dbname=postgres connect_timeout=3 ${parameters}`;
    return this.#execute(['psql', to, '-XAtq', '-c', statement], {
      ...this.#environment(ordinal),
      PGPASSWORD: String.raw`s:e'c\ret`,
    });
  }

  #execute([program = '', ...parameters]: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
    const { promise, resolve } = Promise.withResolvers<Ended>();
    execFile(program, parameters, { ...user, cwd: this.folder, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}`.trim() }),
    );
    return promise;
  }

  /** The folder with the members' volumes, by ordinal. */
  get claims(): string {
    return join(this.folder, 'claims');
  }

  /** The folder with the backups. */
  get backups(): string {
    return join(this.folder, 'backups');
  }

  /** Removes what is on a member's volume. */
  loseVolume(ordinal: number): void {
    rmSync(join(this.claims, String(ordinal)), { recursive: true, force: true });
  }

  /** Whether a member has data. */
  hasData(ordinal: number): boolean {
    return existsSync(join(this.claims, String(ordinal), 'pgdata/PG_VERSION'));
  }

  /** What each member that runs says of itself, by ordinal. */
  async states(
    ordinals: readonly number[] = [...this.#processes.keys()].sort(),
  ): Promise<ReadonlyMap<number, readonly string[]>> {
    const states = new Map<number, readonly string[]>();
    for (const ordinal of ordinals) states.set(ordinal, (await this.run(ordinal, 'state.sh')).output.split(' '));
    return states;
  }

  /** Waits until one member leads, waits for the others, and all that run are in step. Resolves with the one that leads. */
  async settled(seconds = 120): Promise<number> {
    const deadline = performance.now() + seconds * 1000;
    let seen = '';
    while (performance.now() < deadline) {
      const states = await this.states();
      const all = [...states];
      seen = all.map(([, state]) => state.join(' ')).join('\n');
      const leaders = all.filter(([, state]) => state[1] === 'primary').map(([ordinal]) => ordinal);
      const areListed = all.every(([ordinal, state]) => ordinal === leaders[0] || state[6] === 'yes');
      if (leaders.length === 1 && areListed) {
        const found = await Promise.all(all.map(([ordinal]) => this.run(ordinal, 'in-step.sh')));
        if (found.every(({ code }) => code === 0)) return leaders[0] ?? 0;
        seen += found.map(({ output }) => output).join(', ');
      }
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
    await Promise.all([...this.#processes.keys()].map((ordinal) => this.crash(ordinal)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
