import type { IncomingMessage } from 'node:http';
import type { Clock } from '@ordinal/client';
import type { ListenerLimits } from './limits.ts';
import { oldestOfLargest } from './share.ts';

/** A request that is answered without a judgment, with an HTTP status. */
export class RequestRefused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'RequestRefused';
    this.code = code;
  }
}

interface Unfinished {
  readonly address: string;
  /** What is set aside for it, in bytes. */
  capacity: number;
  readonly giveUp: (why: RequestRefused) => void;
}

/** A first piece of a body, and what it grows by at least. */
const pieceBytes = 16 * 1024;

/**
 * Reads bodies, bounded in all: by what each says of its length before anything of it is read, by what has come of all that are not whole, and in time. Where there is
 * no room, the oldest body of the address that holds the most is given up, so that one that does not end keeps no other from being read.
 */
export class BodyReader {
  readonly #limits: ListenerLimits;
  readonly #clock: Clock;
  /** In the order in which they began. */
  readonly #unfinished = new Set<Unfinished>();
  #held = 0;

  constructor(limits: ListenerLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** The bytes that are held for bodies that have not ended. */
  get heldBytes(): number {
    return this.#held;
  }

  /** Reads a body to its end. Rejects with a `RequestRefused`. */
  async read(request: IncomingMessage, address: string, timeoutMs: number): Promise<Buffer> {
    const { maxBodyBytes, bodyTimeoutMs } = this.#limits;
    const announced = Number(request.headers['content-length'] ?? 0);
    if (!(announced <= maxBodyBytes)) throw tooLarge(maxBodyBytes);
    const within = Math.min(bodyTimeoutMs, timeoutMs);
    let finish = (): void => undefined;
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        const body: Unfinished = { address, capacity: 0, giveUp: reject };
        this.#unfinished.add(body);
        const timer = this.#clock.after(within, () =>
          reject(new RequestRefused(408, `the body took over ${within} ms`)),
        );
        let bytes = Buffer.alloc(0);
        let length = 0;
        const onData = (chunk: Buffer): void => {
          if (length + chunk.length > maxBodyBytes) return reject(tooLarge(maxBodyBytes));
          if (length + chunk.length > bytes.length) {
            const grown = Math.min(maxBodyBytes, Math.max(2 * bytes.length, length + chunk.length, pieceBytes));
            if (!this.#grow(body, grown)) return;
            // Copied: a piece may be one byte, and would keep a whole packet.
            const larger = Buffer.allocUnsafeSlow(grown);
            bytes.copy(larger, 0, 0, length);
            bytes = larger;
          }
          length += chunk.copy(bytes, length);
        };
        const onEnd = (): void => resolve(bytes.subarray(0, length));
        const onClose = (): void =>
          reject(new RequestRefused(400, 'the connection was closed in the middle of a body'));
        request.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
        finish = () => {
          timer.cancel();
          request.off('data', onData).off('end', onEnd).off('close', onClose);
          this.#unfinished.delete(body);
          this.#held -= body.capacity;
        };
      });
    } finally {
      finish();
    }
  }

  /** Sets more aside for a body; false where it was given up for it. */
  #grow(body: Unfinished, capacity: number): boolean {
    this.#held += capacity - body.capacity;
    body.capacity = capacity;
    while (this.#held > this.#limits.maxUnfinishedBytes) {
      const victim = oldestOfLargest(this.#unfinished, (one) => one.capacity);
      if (victim === undefined) return true;
      this.#unfinished.delete(victim);
      this.#held -= victim.capacity;
      victim.capacity = 0;
      victim.giveUp(new RequestRefused(503, 'there are too many unfinished bodies'));
      if (victim === body) return false;
    }
    return true;
  }
}

function tooLarge(bytes: number): RequestRefused {
  return new RequestRefused(413, `a body has at most ${bytes} bytes`);
}
