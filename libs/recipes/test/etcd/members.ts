import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoopbackSet, isThere } from '../loopback-set.ts';
import type { Ended, SetOptions } from '../loopback-set.ts';

/** Where the programs of a version are; those on the PATH by default. */
const folderOf = (variable: string): string | undefined => process.env[variable];

/** The programs that members run, and those of a later version, where RECIPE_ETCD and RECIPE_ETCD_NEXT name their folders. */
export const versions = { now: folderOf('RECIPE_ETCD'), next: folderOf('RECIPE_ETCD_NEXT') } as const;

/** What is missing here for the scripts to be run with real servers; undefined where nothing is. */
export const missing: string | undefined =
  process.platform !== 'linux'
    ? 'addresses 127.0.0.2, 127.0.0.3 … of each member'
    : ['busybox', 'openssl', versions.now ? join(versions.now, 'etcd') : 'etcd'].find((program) => !isThere(program));

/** Members of etcd. */
export class MemberSet extends LoopbackSet {
  constructor(options: SetOptions = {}) {
    super('etcd', options);
  }

  protected override environment(ordinal: number, programs = versions.now): NodeJS.ProcessEnv {
    const [data, tools] = [join(this.claims, String(ordinal)), join(this.folder, `tools/${String(ordinal)}`)];
    for (const folder of [data, tools]) mkdirSync(folder, { recursive: true });
    return {
      ...process.env,
      PATH: [...(programs === undefined ? [] : [programs]), process.env['PATH'] ?? ''].join(delimiter),
      HOSTS: join(this.folder, 'hosts'),
      PORT: String(this.port),
      PEER_PORT: String(this.port + 1),
      POD_NAME: `shop-${String(ordinal)}`,
      POD_IP: this.address(ordinal),
      DATA: data,
      TOOLS: tools,
      ETCDCTL_API: '3',
      ...this.environmentOfAll,
    };
  }

  /** Starts members, in new pods unless they stayed. They run the later version's programs where that is said. */
  start(ordinals: readonly number[], programs = versions.now): void {
    this.makePods(ordinals);
    for (const ordinal of ordinals) {
      const started = spawn('busybox', ['sh', join(this.folder, 'recipe/start.sh'), '--log-level=error'], {
        env: this.environment(ordinal, programs),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      started.stdout.on('data', (text: Buffer) => this.said.push(`${String(ordinal)}: ${text.toString().trimEnd()}`));
      started.stderr.on('data', (text: Buffer) => this.said.push(`${String(ordinal)}: ${text.toString().trimEnd()}`));
      this.processes.set(ordinal, started);
    }
  }

  /** Kills a member's server. Its container, the script, ends by that. */
  async crash(ordinal: number): Promise<void> {
    const ended = new Promise((resolve) => this.processes.get(ordinal)?.once('exit', resolve));
    this.signal(ordinal, 'SIGKILL');
    await ended;
  }

  /** Sends a signal to a member's server: halted by SIGSTOP it does not answer until SIGCONT. */
  signal(ordinal: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    const pid = readFileSync(join(this.folder, `tools/${String(ordinal)}/pid`), 'utf8');
    process.kill(Number(pid), signal);
  }

  /** A command to a member as its clients give it. */
  async ask(ordinal: number, ...command: readonly string[]): Promise<string> {
    const { output } = await this.askWith(this.environmentOfAll['TLS'], ordinal, ...command);
    return output;
  }

  /** The same, with the certificate in a folder. */
  askWith(tls: string | undefined, ordinal: number, ...command: readonly string[]): Promise<Ended> {
    const by =
      tls === undefined ? [] : ['--cacert', `${tls}/ca.crt`, '--cert', `${tls}/tls.crt`, '--key', `${tls}/tls.key`];
    return this.execute(
      ['etcdctl', '--endpoints', this.url(ordinal, tls), '--command-timeout', '3s', ...by, ...command],
      this.environment(ordinal),
    );
  }

  /** Where clients reach a member. */
  url(ordinal: number, tls = this.environmentOfAll['TLS']): string {
    return `${tls === undefined ? 'http' : 'https'}://${this.address(ordinal)}:${String(this.port)}`;
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
      const running = [...this.processes.keys()].sort();
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

  /** Ends all members and removes what they have left. */
  async remove(): Promise<void> {
    await this.stopAll();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
