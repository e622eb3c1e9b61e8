import { Queue } from './queue.ts';

/** Who brings messages, and can be held back. */
export interface MessageSource {
  /** Brings no more for now, but for what has come already. */
  pause(): void;
  resume(): void;
}

/** So much is kept for a slow reader before its source is held back, in bytes; it is resumed when half of it is taken. */
const maxKept = 256 * 1024;

/** What a message costs beside its bytes. */
const costOfMessage = 128;

/** Messages from the connection that brings them to the one reader that takes them, with back-pressure. */
export class Inbox {
  readonly #source: MessageSource;
  readonly #messages = new Queue<Uint8Array>();
  #size = 0;
  #isHeldBack = false;
  #end: { readonly failure: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  constructor(source: MessageSource) {
    this.#source = source;
  }

  /** Takes in what came, as a copy: it may be a few bytes of a large buffer. */
  push(message: Uint8Array): void {
    if (this.#end !== undefined) return;
    this.#messages.push(new Uint8Array(message));
    this.#size += message.length + costOfMessage;
    if (this.#size > maxKept && !this.#isHeldBack) {
      this.#isHeldBack = true;
      this.#source.pause();
    }
    this.#wake?.();
  }

  /** No more will come. A failure is reported after the messages before it. */
  end(failure?: Error): void {
    this.#end ??= { failure };
    this.#wake?.();
  }

  /** The messages, for one reader; `close` is called when it has come to the end or takes no more. */
  async *read(close: () => void): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const message = this.#take();
        if (message !== undefined) yield message;
        else if (this.#end?.failure !== undefined) throw this.#end.failure;
        else if (this.#end !== undefined) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.end();
      this.#messages.clear();
      close();
    }
  }

  #take(): Uint8Array | undefined {
    const message = this.#messages.take();
    if (message === undefined) return undefined;
    this.#size -= message.length + costOfMessage;
    if (this.#isHeldBack && this.#size < maxKept / 2) {
      this.#isHeldBack = false;
      this.#source.resume();
    }
    return message;
  }
}
