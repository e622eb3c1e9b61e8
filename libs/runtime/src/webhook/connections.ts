import type { Socket } from 'node:net';
import { oldestOfLargest } from './share.ts';

/** A connection, from its first packet on. */
export interface KnownConnection {
  readonly address: string;
  /** Whether a request of it is whole and is being judged. Only then is something lost with it. */
  isAnswering: boolean;
  /** Whether a request has begun and has no answer yet. */
  isBusy: boolean;
}

interface Entry extends KnownConnection {
  readonly socket: Socket;
}

/**
 * The connections of a listener, bounded in number. Where there are as many as there may be, a new one takes the place of one that waits: the oldest of the address
 * that has the most. Who opens connections and leaves them open so takes them from itself, and never for good from others.
 */
export class Connections {
  readonly #max: number;
  readonly #onDropped: () => void;
  /** By the address and port of the other side, in the order in which they came. */
  readonly #entries = new Map<string, Entry>();

  constructor(max: number, onDropped: () => void) {
    this.#max = max;
    this.#onDropped = onDropped;
  }

  /** Takes a new connection in, or ends it at once. */
  admit(socket: Socket): void {
    const { remoteAddress: address } = socket;
    const key = keyOf(socket);
    if (address === undefined || key === undefined) {
      socket.destroy();
      return;
    }
    if (this.#entries.size >= this.#max && !this.#makeRoom(address)) {
      this.#onDropped();
      socket.destroy();
      return;
    }
    const entry = { address, socket, isAnswering: false, isBusy: false };
    this.#entries.set(key, entry);
    socket.once('close', () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
  }

  /** What is known of a connection; undefined where it is closed. */
  of(socket: Socket): KnownConnection | undefined {
    const key = keyOf(socket);
    return key === undefined ? undefined : this.#entries.get(key);
  }

  #makeRoom(newcomer: string): boolean {
    const entries = [...this.#entries.values()];
    const waiting = oldestOfLargest(
      entries.filter(({ isAnswering }) => !isAnswering),
      () => 1,
    );
    const victim = waiting ?? this.#largest(entries, newcomer);
    if (victim === undefined) return false;
    this.#onDropped();
    for (const [key, entry] of this.#entries) if (entry === victim) this.#entries.delete(key);
    victim.socket.destroy();
    return true;
  }

  /** All are being answered: one of the address with the most goes, where that makes the shares more equal. */
  #largest(entries: readonly Entry[], newcomer: string): Entry | undefined {
    const largest = oldestOfLargest(entries, () => 1);
    const countOf = (address: string | undefined): number =>
      entries.filter((entry) => entry.address === address).length;
    return countOf(largest?.address) > countOf(newcomer) + 1 ? largest : undefined;
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string | undefined {
  return remoteAddress === undefined || remotePort === undefined ? undefined : `${remoteAddress} ${remotePort}`;
}
