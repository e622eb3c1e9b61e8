import { spawn } from 'node:child_process';
import type { ExecFileOptions } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoopbackSet, isThere } from '../loopback-set.ts';
import type { Ended, SetOptions } from '../loopback-set.ts';

const provider = '/usr/lib/galera/libgalera_smm.so';

/** What is missing here for the scripts to be run with real servers; undefined where nothing is. */
export const missing: string | undefined =
  process.platform !== 'linux'
    ? 'addresses 127.0.0.2, 127.0.0.3 … of each member'
    : (['busybox', 'mariadbd', 'mariadb-backup', 'socat'].find((program) => !isThere(program)) ??
      (existsSync(provider) ? undefined : provider));

/** The user that members run as, which every Linux knows: MariaDB refuses root. */
const userId = 65_534;
const user: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: userId, gid: userId } : {};

/** Gives a file or a folder to the user that members run as. */
function give(path: string): void {
  if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
}

/** The password of `root`, with what a statement or a shell could trip over. */
const rootPassword = String.raw`r:o'o\t`;

/** What a member says of itself: state, UUID, sequence number, release, view. */
type State = readonly string[];

/** Members of MariaDB Galera. */
export class MemberSet extends LoopbackSet {
  constructor(options: SetOptions = {}) {
    super('galera', options);
    chmodSync(this.folder, 0o755);
    for (const part of ['claims', 'tools', 'backups', 'auth']) {
      mkdirSync(join(this.folder, part));
      give(join(this.folder, part));
    }
    writeFileSync(join(this.folder, 'auth/root-password'), rootPassword);
    writeFileSync(join(this.folder, 'auth/member-password'), 'members-only');
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
      HOME: tools,
      HOSTS: join(this.folder, 'hosts'),
      AUTH: join(this.folder, 'auth'),
      BACKUPS: this.backups,
      PORT: String(this.port),
      STATE_PORT: String(this.port + 1),
      GROUP_PORT: String(this.port - 10_000),
      IST_PORT: String(this.port - 9999),
      // Unlike the others, the program that listens there takes every address.
      SST_PORT: String(this.port - 15_000 + ordinal),
      GCACHE: '16M',
      POD_NAME: `shop-${String(ordinal)}`,
      POD_IP: this.address(ordinal),
      DATA: data,
      TOOLS: tools,
      ...this.environmentOfAll,
    };
  }

  /** The folder with the backups. */
  get backups(): string {
    return join(this.folder, 'backups');
  }

  /** Starts members, in new pods unless they stayed. */
  start(ordinals: readonly number[], more: NodeJS.ProcessEnv = {}): void {
    this.makePods(ordinals);
    for (const ordinal of ordinals) {
      const settings = ['innodb_buffer_pool_size=16M', 'innodb_log_file_size=8M', 'innodb_flush_method=fsync'];
      const started = spawn(
        'busybox',
        ['sh', join(this.folder, 'recipe/start.sh'), ...settings, 'max_connections=40'],
        {
          ...user,
          env: { ...this.environment(ordinal), ...more },
          cwd: this.folder,
          stdio: ['ignore', 'pipe', 'pipe'],
          // Its processes are a group, as those of a container.
          detached: true,
        },
      );
      const note = (text: Buffer): void => {
        for (const line of text.toString().trimEnd().split('\n'))
          this.said.push(`${new Date().toISOString().slice(14, 23)} ${String(ordinal)}: ${line}`);
      };
      started.stdout.on('data', note);
      started.stderr.on('data', note);
      this.processes.set(ordinal, started);
    }
  }

  /** Kills all of a member's container at once, as a node that fails does. Its pod stays where that is said. */
  async crash(ordinal: number, how: { readonly keepsPod?: boolean } = {}): Promise<void> {
    const crashed = this.processes.get(ordinal);
    if (crashed?.pid !== undefined && crashed.exitCode === null) {
      const ended = new Promise((resolve) => crashed.once('exit', resolve));
      process.kill(-crashed.pid, 'SIGKILL');
      await ended;
    }
    this.processes.delete(ordinal);
    this.endPod(ordinal, how);
  }

  /** What a member says of itself, by its script. */
  async state(ordinal: number): Promise<State> {
    return (await this.run(ordinal, 'state.sh')).output.split(' ').slice(1);
  }

  /** What members say of themselves, each its state alone. */
  async states(ordinals: readonly number[]): Promise<readonly string[]> {
    const states: string[] = [];
    for (const ordinal of ordinals) states.push((await this.state(ordinal))[0] ?? '');
    return states;
  }

  /** Waits until all members that run are in step, and are as many as the cluster has. */
  async settled(seconds = 120): Promise<void> {
    const deadline = performance.now() + seconds * 1000;
    let seen = '';
    while (performance.now() < deadline) {
      const running = [...this.processes.keys()].sort();
      const found: Ended[] = [];
      for (const ordinal of running) found.push(await this.run(ordinal, 'in-step.sh'));
      const sizes = await Promise.all(running.map((ordinal) => this.clusterSize(ordinal)));
      seen = found.map(({ output }, at) => `${output || 'in step'} of ${sizes[at] ?? '?'}`).join(', ');
      if (found.every(({ code }) => code === 0) && sizes.every((size) => size === String(running.length))) return;
      await sleep(300);
    }
    throw new Error(`the members have not settled: ${seen}\n${this.log}`);
  }

  private async clusterSize(ordinal: number): Promise<string> {
    return (await this.ask(ordinal, "show status like 'wsrep_cluster_size'")).split('\t')[1] ?? '';
  }

  /** A statement to a member as its clients give it. */
  async ask(ordinal: number, statement: string): Promise<string> {
    const to = ['-h', this.address(ordinal), '-P', String(this.port), '-u', 'root', '--connect-timeout=3'];
    const { output } = await this.execute(['mariadb', '--no-defaults', ...to, '-BN', '-e', statement], {
      ...process.env,
      MYSQL_PWD: rootPassword,
    });
    return output;
  }

  /** A file on the volume of a member. */
  onVolume(ordinal: number, file: string): string {
    return join(this.claims, String(ordinal), file);
  }

  /** Says as a user that a cluster is to be founded with what a member has. */
  found(ordinal: number): void {
    writeFileSync(this.onVolume(ordinal, 'found'), '');
    give(this.onVolume(ordinal, 'found'));
  }

  /** Whether a member has data. */
  hasData(ordinal: number): boolean {
    return existsSync(this.onVolume(ordinal, 'mysql/mysql'));
  }

  /** What Galera has written of a member's data. */
  saved(ordinal: number, key: string): string {
    const text = readFileSync(this.onVolume(ordinal, 'mysql/grastate.dat'), 'utf8');
    return new RegExp(`^${key}: *(.*)$`, 'm').exec(text)?.[1] ?? '';
  }

  /** Ends all members and removes what they have left. */
  async remove(): Promise<void> {
    await Promise.all([...this.processes.keys()].map((ordinal) => this.crash(ordinal)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
