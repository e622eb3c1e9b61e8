import { costOfPiece } from '../../body-reader.ts';
import { Queue } from '../queue.ts';

/** What a body asks of its connection. */
export interface BodySource {
  /** Reads no further for now, since nothing takes what has come. */
  pause(): void;
  resume(): void;
  /** The rest is not read. */
  cancel(): void;
}

interface Waiting {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/** So much is kept for a slow reader before the connection is paused, in bytes, and read on again when half of it is taken. */
const maxKept = 256 * 1024;

/** A reply's body, from the connection that brings it to the one reader that takes it, with back-pressure. */
export class ReplyBody implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #source: BodySource;
  readonly #chunks = new Queue<Uint8Array>();
  #size = 0;
  #paused = false;
  #end: 'open' | 'complete' | { readonly failure: unknown } = 'open';
  #waiting: Waiting | undefined;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /** Takes in what came. */
  push(chunk: Uint8Array): void {
    if (this.#end !== 'open') return;
    const waiting = this.#taken();
    if (waiting !== undefined) {
      waiting.resolve({ done: false, value: chunk });
      return;
    }
    this.#chunks.push(chunk);
    this.#size += chunk.length + costOfPiece;
    if (this.#size > maxKept && !this.#paused) {
      this.#paused = true;
      this.#source.pause();
    }
  }

  /** All has come. */
  complete(): void {
    if (this.#end !== 'open') return;
    this.#end = 'complete';
    this.#taken()?.resolve({ done: true, value: undefined });
  }

  /** No more will come. The reader learns of it after what has come before. */
  fail(failure: unknown): void {
    if (this.#end !== 'open') return;
    this.#end = { failure };
    this.#taken()?.reject(failure);
  }

  /** The next chunk. Rejects, once what came before was taken, with what ended the body too early. */
  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const chunk = this.#chunks.take();
    if (chunk !== undefined) {
      this.#size -= chunk.length + costOfPiece;
      // A connection whose reply is complete may be another's by now.
      if (this.#paused && this.#end === 'open' && this.#size < maxKept / 2) {
        this.#paused = false;
        this.#source.resume();
      }
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#end === 'complete') return Promise.resolve({ done: true, value: undefined });
    // The failure is a value that was given to `fail`: an Error, unless the abort had another reason.
    if (this.#end !== 'open') return Promise.reject(this.#end.failure as Error);
    return new Promise((resolve, reject) => (this.#waiting = { resolve, reject }));
  }

  /** The reader stops early: what is still to come is not read. */
  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#chunks.clear();
    if (this.#end === 'open') {
      this.#end = 'complete';
      this.#taken()?.resolve({ done: true, value: undefined });
      this.#source.cancel();
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Itself: a body is read once. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  #taken(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}
