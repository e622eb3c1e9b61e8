import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoopbackSet, isThere } from '../loopback-set.ts';
import type { SetOptions } from '../loopback-set.ts';

/** Where the programs of a version are; those on the PATH by default. */
const folderOf = (variable: string): string | undefined => process.env[variable];

/** The programs that members run, and those of a later version, where RECIPE_NATS and RECIPE_NATS_NEXT name their folders. */
export const versions = { now: folderOf('RECIPE_NATS'), next: folderOf('RECIPE_NATS_NEXT') } as const;

/** What is missing here for the scripts to be run with real servers; undefined where nothing is. */
export const missing: string | undefined =
  process.platform !== 'linux'
    ? 'addresses 127.0.0.2, 127.0.0.3 … of each member'
    : ['busybox', versions.now ? join(versions.now, 'nats-server') : 'nats-server'].find(
        (program) => !isThere(program),
      );

/** A user of the account APP, as a client connects. */
export interface Client {
  readonly connection: NatsConnection;
  readonly streams: JetStreamClient;
  readonly manager: JetStreamManager;
}

/** Members of NATS. */
export class MemberSet extends LoopbackSet {
  private readonly clients: NatsConnection[] = [];

  constructor(options: SetOptions = {}) {
    super('nats', options);
    mkdirSync(join(this.folder, 'auth'));
    writeFileSync(join(this.folder, 'auth/system-password'), 'secret');
    this.writeAccounts('APP: { jetstream: enabled, users: [ { user: app, password: app } ] }');
  }

  /** Writes the accounts of clients, in the words of the server. */
  writeAccounts(accounts: string): void {
    writeFileSync(join(this.folder, 'auth/accounts.conf'), accounts);
  }

  protected override environment(ordinal: number, programs = versions.now): NodeJS.ProcessEnv {
    const [data, tools] = [join(this.claims, String(ordinal)), join(this.folder, `tools/${String(ordinal)}`)];
    for (const folder of [data, tools]) mkdirSync(folder, { recursive: true });
    return {
      ...process.env,
      PATH: [...(programs === undefined ? [] : [programs]), process.env['PATH'] ?? ''].join(delimiter),
      HOSTS: join(this.folder, 'hosts'),
      AUTH: join(this.folder, 'auth'),
      PORT: String(this.port),
      PEER_PORT: String(this.port + 1),
      MONITOR_PORT: String(this.port - 10_000),
      STATE_PORT: String(this.port - 9_999),
      POD_NAME: `shop-${String(ordinal)}`,
      POD_IP: this.address(ordinal),
      DATA: data,
      TOOLS: tools,
      ...this.environmentOfAll,
    };
  }

  /** Starts members, in new pods unless they stayed. They run the later version's programs where that is said. */
  start(ordinals: readonly number[], programs = versions.now): void {
    this.makePods(ordinals);
    for (const ordinal of ordinals) {
      const settings = ['--max_payload=2MB', '--jetstream.max_memory_store=64MB'];
      const started = spawn('busybox', ['sh', join(this.folder, 'recipe/start.sh'), ...settings], {
        env: this.environment(ordinal, programs),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const output of [started.stdout, started.stderr])
        output.on('data', (text: Buffer) => this.said.push(`${String(ordinal)}: ${text.toString().trimEnd()}`));
      this.processes.set(ordinal, started);
    }
  }

  /** Kills a member's server. Its container, the script, ends by that. */
  async crash(ordinal: number): Promise<void> {
    const ended = new Promise((resolve) => this.processes.get(ordinal)?.once('exit', resolve));
    process.kill(Number(readFileSync(join(this.folder, `tools/${String(ordinal)}/pid`), 'utf8')), 'SIGKILL');
    await ended;
  }

  /** Connects to these members. */
  async client(ordinals: readonly number[] = [0, 1, 2]): Promise<Client> {
    const servers = ordinals.map((ordinal) => `${this.address(ordinal)}:${String(this.port)}`);
    const to = { servers, user: 'app', pass: 'app', ignoreClusterUpdates: true, maxReconnectAttempts: -1 };
    const connection = await connect({ ...to, reconnectTimeWait: 50 });
    this.clients.push(connection);
    return { connection, streams: jetstream(connection), manager: await jetstreamManager(connection) };
  }

  /** Under which name a member's server runs; undefined where there is no data. */
  serverOf(ordinal: number): string | undefined {
    const file = join(this.claims, String(ordinal), 'name');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  }

  /** What a member's monitoring answers. */
  async monitoring(ordinal: number, path: string): Promise<unknown> {
    const at = `http://${this.address(ordinal)}:${String(this.port - 10_000)}${path}`;
    return (await fetch(at)).json();
  }

  /** Waits until all members that run have everything, and are the only ones of the cluster. Resolves with the leader. */
  async settled(seconds = 90): Promise<number> {
    const deadline = performance.now() + seconds * 1000;
    let seen = '';
    while (performance.now() < deadline) {
      const running = [...this.processes.keys()].sort();
      const ended = running.find((ordinal) => !this.runs(ordinal));
      if (ended !== undefined) throw new Error(`member ${String(ended)} has ended\n${this.log}`);
      const found = await Promise.all(running.map((ordinal) => this.run(ordinal, 'in-step.sh')));
      const roles = await Promise.all(running.map((ordinal) => this.run(ordinal, 'role.sh')));
      const leaders = running.filter((_, at) => roles[at]?.output === 'leader');
      const isKnown = running.every((ordinal) => existsSync(join(this.claims, String(ordinal), 'member')));
      const size = leaders[0] === undefined ? 0 : await this.clusterSize(leaders[0]);
      seen = `${found.map(({ output }) => output || 'in step').join(', ')}; ${roles.map(({ output }) => output).join(' ')}; ${String(size)}`;
      if (isKnown && size === running.length && leaders.length === 1 && found.every(({ code }) => code === 0))
        return leaders[0] ?? 0;
      await sleep(200);
    }
    throw new Error(`the members have not settled: ${seen}\n${this.log}`);
  }

  /** How many servers the cluster has, as a member knows. */
  async clusterSize(ordinal: number): Promise<number> {
    const jetStream = (await this.monitoring(ordinal, '/jsz').catch(() => ({}))) as {
      readonly meta_cluster?: { readonly cluster_size?: number };
    };
    return jetStream.meta_cluster?.cluster_size ?? 0;
  }

  /** Ends all clients and members, and removes what they have left. */
  async remove(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
    await this.stopAll();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
