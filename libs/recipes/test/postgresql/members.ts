import { execFileSync, spawn } from 'node:child_process';
import type { ExecFileOptions } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoopbackSet, certificate, isThere } from '../loopback-set.ts';
import type { Ended, SetOptions } from '../loopback-set.ts';

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

/** Members of PostgreSQL. */
export class MemberSet extends LoopbackSet {
  constructor(options: SetOptions = {}) {
    super('postgresql', options);
    chmodSync(this.folder, 0o755);
    for (const part of ['claims', 'tools', 'backups']) {
      mkdirSync(join(this.folder, part));
      give(join(this.folder, part));
    }
    // An image need not have what only the shell of the pod's first container has, or coreutils.
    mkdirSync(join(this.folder, 'absent'));
    writeFileSync(join(this.folder, 'absent/printenv'), '#!/bin/sh\nexit 127\n', { mode: 0o755 });
  }

  /** A certificate for all members, which their user alone can read. Returns its folder. */
  static certificate(): string {
    const folder = certificate();
    chmodSync(folder, 0o755);
    for (const file of ['tls.key', 'tls.crt', 'ca.crt']) give(join(folder, file));
    chmodSync(join(folder, 'tls.key'), 0o600);
    return folder;
  }

  protected override get execution(): ExecFileOptions {
    return { ...user, cwd: this.folder };
  }

  protected override environment(ordinal: number): NodeJS.ProcessEnv {
    const [data, tools] = [join(this.claims, String(ordinal)), join(this.folder, `tools/${String(ordinal)}`)];
    for (const folder of [data, tools]) {
      mkdirSync(folder, { recursive: true });
      give(folder);
    }
    return {
      ...process.env,
      PATH: [join(this.folder, 'absent'), process.env['PATH'] ?? '', ...folders].join(delimiter),
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
      ...this.environmentOfAll,
    };
  }

  /** Starts members, in new pods unless they stayed. */
  start(ordinals: readonly number[]): void {
    this.makePods(ordinals);
    for (const ordinal of ordinals) {
      const settings = ['fsync=off', 'shared_buffers=16MB', 'max_connections=60'];
      const started = spawn('busybox', ['sh', join(this.folder, 'recipe/start.sh'), ...settings], {
        ...user,
        env: this.environment(ordinal),
        cwd: this.folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const note = (text: Buffer): void => {
        this.said.push(
          ...text
            .toString()
            .trimEnd()
            .split('\n')
            .map((line) => `${new Date().toISOString().slice(14, 23)} ${String(ordinal)}: ${line}`),
        );
      };
      started.stdout.on('data', note);
      started.stderr.on('data', note);
      this.processes.set(ordinal, started);
    }
  }

  /** Sends a signal to all processes of a member's container. */
  #signal(ordinal: number, signal: NodeJS.Signals): ReadonlySet<number> {
    const pid = this.processes.get(ordinal)?.pid;
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

  /** Kills all of a member's container at once, as a node that fails does, and its pod unless it stays. */
  async crash(ordinal: number, how: { readonly keepsPod?: boolean } = {}): Promise<void> {
    const crashed = this.processes.get(ordinal);
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
    this.processes.delete(ordinal);
    this.endPod(ordinal, how);
  }

  /** Suspends all of a member, or has it go on: it does not answer, and does not know it. */
  freeze(ordinal: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#signal(ordinal, signal);
  }

  /** A statement to a member as its clients give it. */
  async ask(ordinal: number, statement: string): Promise<string> {
    const { output } = await this.askWith('', ordinal, statement);
    return output;
  }

  /** The same, with further parameters of the connection. */
  askWith(parameters: string, ordinal: number, statement: string): Promise<Ended> {
    const to = `host=${this.address(ordinal)} port=${String(this.port)} user=postgres dbname=postgres connect_timeout=3 ${parameters}`;
    return this.execute(['psql', to, '-XAtq', '-c', statement], {
      ...this.environment(ordinal),
      PGPASSWORD: String.raw`s:e'c\ret`,
    });
  }

  /** The folder with the backups. */
  get backups(): string {
    return join(this.folder, 'backups');
  }

  /** Whether a member has data. */
  hasData(ordinal: number): boolean {
    return existsSync(join(this.claims, String(ordinal), 'pgdata/PG_VERSION'));
  }

  /** What each member that runs says of itself, by ordinal. */
  async states(
    ordinals: readonly number[] = [...this.processes.keys()].sort(),
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

  /** Ends all members and removes what they have left. */
  async remove(): Promise<void> {
    await Promise.all([...this.processes.keys()].map((ordinal) => this.crash(ordinal)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
