import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoopbackSet, isThere } from '../loopback-set.ts';
import type { Ended, SetOptions } from '../loopback-set.ts';

/** A folder with a version's jars, as a path of classes. */
const classesOf = (variable: string): string | undefined => {
  const folder = process.env[variable];
  return folder === undefined ? undefined : `${folder}/*`;
};

/** The jars that members run, and those of a later version: RECIPE_KAFKA and RECIPE_KAFKA_NEXT name their folders. */
export const versions = { now: classesOf('RECIPE_KAFKA'), next: classesOf('RECIPE_KAFKA_NEXT') } as const;

/** What is missing here for the scripts to be run with real servers; undefined where nothing is. */
export const missing: string | undefined =
  process.platform !== 'linux'
    ? 'addresses 127.0.0.2, 127.0.0.3 … of each member'
    : (['busybox', 'java'].find((program) => !isThere(program)) ??
      (versions.now === undefined ? 'folder RECIPE_KAFKA with the jars' : undefined));

/** Members of Kafka. */
export class MemberSet extends LoopbackSet {
  constructor(options: SetOptions = {}) {
    super('kafka', options);
    for (const what of ['metadata', 'quorum'])
      writeFileSync(join(this.folder, `recipe/${what}.test.sh`), `. "\${0%/*}/member.sh"\n${what} "$POD_IP" all\n`);
  }

  protected override environment(ordinal: number, classes = versions.now): NodeJS.ProcessEnv {
    const [data, tools] = [join(this.claims, String(ordinal)), join(this.folder, `tools/${String(ordinal)}`)];
    for (const folder of [data, tools]) mkdirSync(folder, { recursive: true });
    return {
      ...process.env,
      CLASSPATH: classes,
      HOSTS: join(this.folder, 'hosts'),
      HEAP: '192m',
      PORT: String(this.port),
      PEER_PORT: String(this.port + 1),
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
      const started = spawn('busybox', ['sh', script, 'log.retention.hours=24'], {
        env: this.environment(ordinal, classes),
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      started.stdout.on('data', (text: Buffer) => this.said.push(`${String(ordinal)}: ${text.toString().trimEnd()}`));
      this.processes.set(ordinal, started);
    }
  }

  /** Whether a member's volume is one of the cluster's. */
  hasData(ordinal: number): boolean {
    return existsSync(join(this.claims, `${String(ordinal)}/kafka/log/meta.properties`));
  }

  /** What the members have printed, without what their servers log. */
  override get log(): string {
    return super.log
      .split('\n')
      .filter((line) => !/^(\d+: )?(\d{4}-\d\d-\d\d |\s|$)/.test(line))
      .slice(-60)
      .join('\n');
  }

  /** Kills a member's server. Its container, the script, ends by that. */
  async crash(ordinal: number): Promise<void> {
    const ended = new Promise((resolve) => this.processes.get(ordinal)?.once('exit', resolve));
    process.kill(Number(readFileSync(join(this.folder, `tools/${String(ordinal)}/pid`), 'utf8')), 'SIGKILL');
    await ended;
  }

  /** What one of the software's own tools prints, asked of a member. */
  tool(ordinal: number, name: string, line: string): Promise<Ended> {
    const java = ['java', '-Xmx64m', '-XX:TieredStopAtLevel=1', `org.apache.kafka.tools.${name}`];
    const at = ['--bootstrap-server', `${this.address(ordinal)}:${String(this.port)}`];
    return this.execute([...java, ...at, ...line.split(' ')], this.environment(ordinal));
  }

  /** Has replicas of partitions move. */
  async reassign(ordinal: number, plan: string): Promise<void> {
    const file = join(this.folder, 'plan.json');
    writeFileSync(file, plan);
    await this.tool(ordinal, 'reassign.ReassignPartitionsCommand', `--reassignment-json-file ${file} --execute`);
  }

  /** Runs the script that comes before a reduction, as its Job does. */
  reduce(from: number, to: number, variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return this.run(9, 'leave.sh', {
      ...{ ORDINAL_CLUSTER: 'shop', ORDINAL_NAMESPACE: 'shop', POD_NAME: 'leave' },
      ...{ ORDINAL_REPLICAS: String(from), ORDINAL_TARGET_REPLICAS: String(to), ...variables },
    });
  }

  /** Lines of what a member knows: `metadata` of its broker, or `quorum`. */
  async knows(ordinal: number, what: 'metadata' | 'quorum', word: string): Promise<readonly string[]> {
    const { output } = await this.run(ordinal, `${what}.test.sh`);
    return output.split('\n').filter((line) => line.startsWith(`${word} `));
  }

  /** Waits until all members that run are in step and have a vote, and one leads the quorum. Returns which. */
  async settled(): Promise<number> {
    const deadline = performance.now() + 240_000;
    let seen = '';
    while (performance.now() < deadline) {
      const running = [...this.processes.keys()];
      const found = await Promise.all(running.map((ordinal) => this.run(ordinal, 'in-step.sh')));
      const roles = await Promise.all(running.map((ordinal) => this.run(ordinal, 'role.sh')));
      const leaders = running.filter((_, at) => roles[at]?.output === 'leader');
      const voters = await this.knows(running[0] ?? 0, 'quorum', 'voter');
      seen = `${found.map(({ output }) => output || 'in step').join(', ')}; ${roles.map(({ output }) => output).join(' ')}; ${voters.join(', ')}`;
      const isWhole = voters.length === running.length && found.every(({ code }) => code === 0);
      if (isWhole && leaders.length === 1) return leaders[0] ?? 0;
      await sleep(500);
    }
    throw new Error(`the members have not settled: ${seen}\n${this.log}`);
  }

  /** Ends all members and removes what they have left. */
  async remove(): Promise<void> {
    await this.stopAll();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
