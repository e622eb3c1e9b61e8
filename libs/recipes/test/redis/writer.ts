import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where a member listens. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A connection that is closed when it is silent for two seconds. */
function connection(endpoint: Endpoint): Socket {
  const socket = connect(endpoint);
  socket.on('error', () => undefined);
  socket.setTimeout(2000, () => socket.destroy());
  return socket;
}

/** One command on a connection, and its answer. Rejects where the connection is closed before that. */
function ask(socket: Socket, ...words: readonly string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (): void => reject(new Error('no answer'));
  const take = (data: Buffer): void => resolve(data.toString());
  if (socket.destroyed) fail();
  socket.once('data', take).once('close', fail);
  socket.write(`*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`);
  return promise.finally(() => socket.removeListener('data', take).removeListener('close', fail));
}

/** Writes a key every two milliseconds to the member that leads, each again until it is acknowledged. */
export class Writer {
  /** How many writes are acknowledged: the keys `load:0`, `load:1` … */
  acknowledged = 0;
  readonly #endpoints: () => readonly Endpoint[];
  readonly #ended: Promise<void>;
  #running = true;

  constructor(endpoints: () => readonly Endpoint[]) {
    this.#endpoints = endpoints;
    this.#ended = this.#write();
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#ended;
  }

  async #write(): Promise<void> {
    let leader: Socket | undefined;
    while (this.#running) {
      leader ??= await this.#leader();
      const answer = leader && (await ask(leader, 'SET', `load:${this.acknowledged}`, 'yes').catch(String));
      if (answer?.startsWith('+OK')) this.acknowledged += 1;
      else {
        leader?.destroy();
        leader = undefined;
      }
      await sleep(2);
    }
    leader?.destroy();
  }

  async #leader(): Promise<Socket | undefined> {
    for (const endpoint of this.#endpoints()) {
      const socket = connection(endpoint);
      const role = await ask(socket, 'ROLE').catch(String);
      if (role.includes('master')) return socket;
      socket.destroy();
    }
    return undefined;
  }
}
