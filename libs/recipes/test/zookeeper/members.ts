import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoopbackSet, isThere } from '../loopback-set.ts';
import type { Ended, SetOptions } from '../loopback-set.ts';

const debianJar = '/usr/share/java/zookeeper.jar';
/** A folder with a version's jars and all that they need, as a path of classes. */
const classesOf = (variable: string): string | undefined => {
  const folder = process.env[variable];
  return folder === undefined ? undefined : `${folder}/*`;
};

/** The jars that members run, and those of a later version, where RECIPE_ZOOKEEPER and RECIPE_ZOOKEEPER_NEXT name their folders. Debian's by default. */
export const versions = { now: classesOf('RECIPE_ZOOKEEPER'), next: classesOf('RECIPE_ZOOKEEPER_NEXT') } as const;

/** What is missing here for the scripts to be run with real servers; undefined where nothing is. */
export const missing: string | undefined =
  process.platform !== 'linux'
    ? 'addresses 127.0.0.2, 127.0.0.3 … of each member'
    : (['busybox', 'java'].find((program) => !isThere(program)) ??
      (versions.now === undefined && !existsSync(debianJar) ? debianJar : undefined));

/** Members of ZooKeeper. */
export class MemberSet extends LoopbackSet {
  constructor(options: SetOptions = {}) {
    super('zookeeper', options);
    mkdirSync(join(this.folder, 'auth'));
    writeFileSync(join(this.folder, 'auth/super-password'), 'secret');
  }

  protected override environment(ordinal: number, classes = versions.now): NodeJS.ProcessEnv {
    const [data, tools] = [join(this.claims, String(ordinal)), join(this.folder, `tools/${String(ordinal)}`)];
    for (const folder of [data, tools]) mkdirSync(folder, { recursive: true });
    return {
      ...process.env,
      ...(classes === undefined ? {} : { CLASSPATH: classes }),
      HOSTS: join(this.folder, 'hosts'),
      AUTH: join(this.folder, 'auth'),
      HEAP: '128m',
      PORT: String(this.port),
      PEER_PORT: String(this.port + 1),
      ELECTION_PORT: String(this.port - 10_000),
      POD_NAME: `shop-${String(ordinal)}`,
      POD_IP: this.address(ordinal),
      DATA: data,
      TOOLS: tools,
      ...this.environmentOfAll,
    };
  }

  /** Starts members, in new pods unless they stayed. They run the later version's classes where that is said. */
  start(ordinals: readonly number[], classes = versions.now): void {
    this.makePods(ordinals);
    for (const ordinal of ordinals) {
      const script = join(this.folder, 'recipe/start.sh');
      const started = spawn('busybox', ['sh', script, '--maxClientCnxns=200'], {
        env: this.environment(ordinal, classes),
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      started.stdout.on('data', (text: Buffer) => this.said.push(`${String(ordinal)}: ${text.toString().trimEnd()}`));
      this.processes.set(ordinal, started);
    }
  }

  /** The volume of a member. */
  volume(ordinal: number): string {
    return join(this.claims, `${String(ordinal)}/zookeeper`);
  }

  /** A file in the pod of a member. */
  fileInPod(ordinal: number, name: string): string {
    return join(this.folder, `tools/${String(ordinal)}`, name);
  }

  /** What is in the Secret from now on. */
  setPassword(password: string): void {
    writeFileSync(join(this.folder, 'auth/super-password'), password);
  }

  /** What the others know of a member that takes part. */
  line(ordinal: number): string {
    const at = this.address(ordinal);
    return `server.${String(ordinal + 1)}=${at}:${String(this.port + 1)}:${String(this.port - 10_000)}:participant;${at}:${String(this.port)}`;
  }

  /** Has the cluster changed as by hand. */
  reconfig(ordinal: number, change: string): Promise<Ended> {
    writeFileSync(join(this.folder, 'recipe/change.sh'), '. "${0%/*}/member.sh"\nreconfig "$@"\n');
    return this.run(ordinal, `change.sh -- ${this.address(ordinal)} -- ${change}`);
  }

  /** Kills a member's server. Its container, the script, ends by that. */
  async crash(ordinal: number): Promise<void> {
    const ended = new Promise((resolve) => this.processes.get(ordinal)?.once('exit', resolve));
    process.kill(Number(readFileSync(this.fileInPod(ordinal, 'pid'), 'utf8')), 'SIGKILL');
    await ended;
  }

  /** What the software's own client prints for a command at a member. */
  async ask(ordinal: number, command: string): Promise<string> {
    const classes = versions.now ?? debianJar;
    const client = ['java', '-Xmx32m', '-cp', classes, 'org.apache.zookeeper.ZooKeeperMain'];
    const { output } = await this.execute(
      [...client, '-server', `${this.address(ordinal)}:${String(this.port)}`, ...command.split(' ')],
      this.environment(ordinal),
    );
    return output;
  }

  /** What a member answers to a four-letter word; empty where it does not. */
  word(ordinal: number, word: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    let answer = '';
    const socket = connect(this.port, this.address(ordinal), () => socket.write(word));
    socket.on('data', (text: Buffer) => (answer += text.toString()));
    socket.on('error', () => resolve('')).on('close', () => resolve(answer));
    return promise;
  }

  /** Who is a member as one of them knows: "1 participant". */
  async list(ordinal: number): Promise<readonly string[]> {
    const lines = (await this.word(ordinal, 'conf')).split('\n').filter((line) => line.startsWith('server.'));
    return lines.map((line) => `${/\d+/.exec(line)?.[0] ?? ''} ${/observer|participant/.exec(line)?.[0] ?? ''}`);
  }

  /** Whether a member has data. */
  hasData(ordinal: number): boolean {
    return existsSync(join(this.volume(ordinal), 'zoo.cfg'));
  }

  /** Runs `leave.sh` as the Job before a reduction. */
  reduce(from: number, to: number, more: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const reduction = { ORDINAL_REPLICAS: String(from), ORDINAL_TARGET_REPLICAS: String(to), REST: '1' };
    return this.run(0, 'leave.sh', { ORDINAL_CLUSTER: 'shop', ...reduction, ...more });
  }

  /** Waits until all members that run take part, are in step with one leader, and are the only ones of the cluster. Resolves with the leader. */
  async settled(seconds = 120): Promise<number> {
    const deadline = performance.now() + seconds * 1000;
    let seen = '';
    while (performance.now() < deadline) {
      const running = [...this.processes.keys()].sort();
      const found = await Promise.all(running.map((ordinal) => this.run(ordinal, 'in-step.sh')));
      const roles = await Promise.all(running.map((ordinal) => this.run(ordinal, 'role.sh')));
      const leaders = running.filter((_, at) => roles[at]?.output === 'leader');
      const list = await this.list(running[0] ?? 0);
      seen = `${found.map(({ output }) => output || 'in step').join(', ')}; ${roles.map(({ output }) => output).join(' ')}; ${list.join(', ')}`;
      const isWhole = list.length === running.length && list.every((line) => line.endsWith('participant'));
      if (isWhole && leaders.length === 1 && found.every(({ code }) => code === 0)) return leaders[0] ?? 0;
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
