import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { MemberSet } from './members.ts';

const writers = 8;
const password = String.raw`s:e'c\ret`;

/** Clients that write, each number until a member has acknowledged it, some hundred a second. */
export class Load {
  readonly #set: MemberSet;
  readonly #acknowledged = new Set<number>();
  #next = 0;
  #isRunning = true;
  #lastAt = Number.POSITIVE_INFINITY;
  #longestMs = 0;
  readonly #writing: Promise<unknown>;

  private constructor(set: MemberSet) {
    this.#set = set;
    this.#writing = Promise.all(Array.from({ length: writers }, () => this.#write()));
  }

  /** Begins, in a table that it makes. */
  static async begin(set: MemberSet, leader: number): Promise<Load> {
    await set.ask(leader, 'create table if not exists load (number int primary key)');
    return new Load(set);
  }

  /** The longest time without an acknowledged write since the last call, in milliseconds. */
  longestMs(): number {
    const longest = Math.max(this.#longestMs, performance.now() - this.#lastAt);
    this.#longestMs = 0;
    return longest;
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** Waits until so many more are acknowledged. */
  async more(count: number): Promise<void> {
    const wanted = this.acknowledged + count;
    const deadline = performance.now() + 60_000;
    while (this.acknowledged < wanted) {
      if (performance.now() > deadline) throw new Error(`no writes are acknowledged\n${this.#set.log}`);
      await sleep(20);
    }
  }

  /** Ends. Resolves with how many of the acknowledged writes a member does not have. */
  async end(reader: number): Promise<number> {
    this.#isRunning = false;
    await this.#writing;
    const found = new Set((await this.#set.ask(reader, 'select number from load')).split('\n').map(Number));
    return [...this.#acknowledged].filter((number) => !found.has(number)).length;
  }

  /** A connection to the member that leads, by the client's own means: it tries all. */
  async #connect(first: number): Promise<Client | undefined> {
    for (const member of [0, 1, 2].map((k) => (first + k) % 3)) {
      const at = { host: this.#set.address(member), port: this.#set.port, user: 'postgres', database: 'postgres' };
      const client = new Client({ ...at, password, connectionTimeoutMillis: 2000, query_timeout: 3000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        const { rows } = await client.query<{ reads: boolean }>('select pg_is_in_recovery() as reads');
        if (rows[0]?.reads === false) return client;
      } catch {
        // The next one is tried.
      }
      void client.end().catch(() => undefined);
    }
    return undefined;
  }

  async #write(): Promise<void> {
    let client: Client | undefined;
    while (this.#isRunning) {
      const number = this.#next;
      this.#next += 1;
      for (let isWritten = false; !isWritten && this.#isRunning;)
        try {
          client ??= await this.#connect(number % 3);
          if (client === undefined) throw new Error('no member leads');
          await client.query('insert into load values ($1) on conflict do nothing', [number]);
          isWritten = true;
          this.#note(number);
        } catch {
          void client?.end().catch(() => undefined);
          client = undefined;
          await sleep(10);
        }
      await sleep(10);
    }
    await client?.end().catch(() => undefined);
  }

  #note(number: number): void {
    const now = performance.now();
    if (this.#lastAt !== Number.POSITIVE_INFINITY) this.#longestMs = Math.max(this.#longestMs, now - this.#lastAt);
    this.#lastAt = now;
    this.#acknowledged.add(number);
  }
}
