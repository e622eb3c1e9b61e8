import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoopbackSet, isThere } from '../loopback-set.ts';
import type { Ended, SetOptions } from '../loopback-set.ts';

/** Where the programs of RabbitMQ and Erlang are: what a distribution has on the PATH may be older than the recipe takes. */
const programs = process.env['RECIPE_RABBITMQ'];

/** What is missing here for the scripts to be run with real servers; undefined where nothing is. */
export const missing: string | undefined =
  process.platform !== 'linux'
    ? 'addresses 127.0.0.2, 127.0.0.3 … of each member'
    : (['busybox'].find((program) => !isThere(program)) ??
      (programs === undefined ? 'folder RECIPE_RABBITMQ with the programs' : undefined));

/** Members of RabbitMQ, with the HTTP API, by which the tests are clients. */
export class MemberSet extends LoopbackSet {
  private mapper: ChildProcess | undefined;

  constructor(options: SetOptions = {}) {
    super('rabbitmq', options);
    mkdirSync(join(this.folder, 'auth'));
    const secrets = { user: 'app', password: 'app-1', 'erlang-cookie': 'only_members' };
    for (const [key, value] of Object.entries(secrets)) writeFileSync(join(this.folder, 'auth', key), value);
    writeFileSync(join(this.folder, 'recipe/cluster.test.sh'), '. "${0%/*}/member.sh"\nask "$POD_IP" cluster\n');
  }

  protected override environment(ordinal: number): NodeJS.ProcessEnv {
    const [data, tools] = [join(this.claims, String(ordinal)), join(this.folder, `tools/${String(ordinal)}`)];
    for (const folder of [data, tools]) mkdirSync(folder, { recursive: true });
    return {
      ...process.env,
      PROGRAMS: programs,
      HOSTS: join(this.folder, 'hosts'),
      AUTH: join(this.folder, 'auth'),
      PORT: String(this.port),
      STATE_PORT: String(this.port + 1),
      // The members share one machine, and so one of the programs that know at which port each is.
      DIST_PORT: String(this.port - 10_000 + ordinal),
      ERL_EPMD_PORT: String(this.port - 15_000),
      PLUGINS: 'rabbitmq_management',
      POD_NAME: `shop-${String(ordinal)}`,
      POD_IP: this.address(ordinal),
      DATA: data,
      TOOLS: tools,
      ...this.environmentOfAll,
    };
  }

  /** The port of the HTTP API. */
  private get apiPort(): string {
    return String(this.port - 12_000);
  }

  /** Starts members, in new pods unless they stayed. */
  start(ordinals: readonly number[]): void {
    this.makePods(ordinals);
    this.mapper ??= spawn(join(programs ?? '', 'epmd'), [], { env: this.environment(0), stdio: 'ignore' });
    for (const ordinal of ordinals) {
      const api = [`management.tcp.ip=${this.address(ordinal)}`, `management.tcp.port=${this.apiPort}`];
      const started = spawn('busybox', ['sh', join(this.folder, 'recipe/start.sh'), ...api], {
        env: this.environment(ordinal),
        stdio: ['ignore', 'pipe', 'pipe'],
        // Its processes are a group, as those of a container.
        detached: true,
      });
      const note = (text: Buffer): void => void this.said.push(`${String(ordinal)}: ${text.toString().trimEnd()}`);
      started.stdout.on('data', note);
      started.stderr.on('data', note);
      this.processes.set(ordinal, started);
    }
  }

  /** Kills all of a member's container at once, as a node that fails does. */
  async crash(ordinal: number): Promise<void> {
    const crashed = this.processes.get(ordinal);
    if (crashed?.pid !== undefined && crashed.exitCode === null) {
      const ended = new Promise((resolve) => crashed.once('exit', resolve));
      process.kill(-crashed.pid, 'SIGKILL');
      await ended;
    }
    this.processes.delete(ordinal);
    this.endPod(ordinal, {});
  }

  /** The name of the server on a member's volume; undefined before it is a member. */
  serverOf(ordinal: number): string | undefined {
    const file = join(this.claims, String(ordinal), 'node');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  }

  /** Runs the script that comes before a reduction, as its Job does. */
  reduce(from: number, to: number, variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return this.run(9, 'leave.sh', {
      ...{ ORDINAL_CLUSTER: 'shop', ORDINAL_NAMESPACE: 'shop', POD_NAME: 'leave' },
      ...{ ORDINAL_REPLICAS: String(from), ORDINAL_TARGET_REPLICAS: String(to), ...variables },
    });
  }

  /** The ordinals of the members that the cluster has, as one of them knows it. */
  async membersBy(ordinal: number): Promise<readonly number[]> {
    const { output } = await this.run(ordinal, 'cluster.test.sh');
    const found = output.split('\n').filter((line) => line.startsWith('member '));
    return found.map((line) => Number(/^member shop-(\d+)-/.exec(line)?.[1])).toSorted();
  }

  /** Waits until all members that run are in step and the cluster has no others. Returns which leads the metadata store. */
  async settled(): Promise<number> {
    const deadline = performance.now() + 240_000;
    let seen = '';
    while (performance.now() < deadline) {
      const running = [...this.processes.keys()].toSorted();
      const found: Ended[] = [];
      for (const ordinal of running) found.push(await this.run(ordinal, 'in-step.sh'));
      const roles = await Promise.all(running.map((ordinal) => this.run(ordinal, 'role.sh')));
      const leaders = running.filter((_, at) => roles[at]?.output === 'leader');
      const members = await this.membersBy(running[0] ?? 0);
      seen = `${found.map(({ output }) => output || 'in step').join(', ')}; ${roles.map(({ output }) => output).join(' ')}; ${members.join(' ')}`;
      const isWhole = String(members) === String(running) && found.every(({ code }) => code === 0);
      if (isWhole && leaders.length === 1) return leaders[0] ?? 0;
      await sleep(500);
    }
    throw new Error(`the members have not settled: ${seen}\n${this.log}`);
  }

  /** A request to a member's HTTP API. Returns what it answers, as JSON. */
  async api(ordinal: number, path: string, request: { readonly method?: string; readonly body?: object } = {}) {
    const response = await fetch(`http://${this.address(ordinal)}:${this.apiPort}/api/${path}`, {
      method: request.method ?? 'GET',
      headers: { authorization: `Basic ${btoa('app:app-1')}`, 'content-type': 'application/json' },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${String(response.status)} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as unknown;
  }

  /** Declares a durable queue, of the kind that a client gets who names none. */
  async declareQueue(ordinal: number, name: string, options: object = {}): Promise<void> {
    await this.api(ordinal, `queues/%2f/${name}`, { method: 'PUT', body: { durable: true, arguments: options } });
  }

  /** Publishes a message to a queue by a member. Rejects where it was not confirmed. */
  async publish(ordinal: number, queue: string, payload: string): Promise<void> {
    const body = { properties: {}, routing_key: queue, payload, payload_encoding: 'string' };
    const answer = await this.api(ordinal, 'exchanges/%2f/amq.default/publish', { method: 'POST', body });
    if (!(answer as { routed: boolean }).routed) throw new Error(`there is no queue ${queue}`);
  }

  /** The messages in a queue, which stay there, as a member serves them. */
  async messages(ordinal: number, queue: string): Promise<readonly string[]> {
    const body = { count: 100, ackmode: 'ack_requeue_true', encoding: 'auto' };
    const found = await this.api(ordinal, `queues/%2f/${queue}/get`, { method: 'POST', body });
    return (found as { payload: string }[]).map(({ payload }) => payload);
  }

  /** The ordinals of the members that have a replica of a queue. */
  async replicasOf(ordinal: number, queue: string): Promise<readonly number[]> {
    const { members = [] } = (await this.api(ordinal, `queues/%2f/${queue}`)) as { members?: readonly string[] };
    return members.map((node) => Number(/^shop-(\d+)-/.exec(node)?.[1])).toSorted();
  }

  /** Ends all members and removes what they have left. */
  async remove(): Promise<void> {
    await Promise.all([...this.processes.keys()].map((ordinal) => this.crash(ordinal)));
    this.mapper?.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
