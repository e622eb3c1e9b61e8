import { ReadSlice } from './internal/read-slice.ts';

/** Takes in what comes piece by piece (a reply's body, what a command prints), and keeps of it what is wanted. */
export interface BodyReader {
  /** Takes a piece in; what is kept of it is copied. False: it has enough, and anyone who sends the rest is left. */
  push(chunk: Uint8Array): boolean;
  /** What was kept. */
  text(): string;
}

/** The beginning of what comes, up to so many bytes, in memory of its own: no piece that came stays in memory because of a few bytes that were wanted. */
export class Beginning implements BodyReader {
  readonly #limitBytes: number;
  #bytes = Buffer.alloc(0);
  #size = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Keeps as much of it as there is room for. False once there is none. */
  push(chunk: Uint8Array): boolean {
    const kept = chunk.subarray(0, this.#limitBytes - this.#size);
    this.#makeRoom(this.#size + kept.length);
    this.#bytes.set(kept, this.#size);
    this.#size += kept.length;
    return this.#size < this.#limitBytes;
  }

  /** All of it, as UTF-8. */
  text(): string {
    return this.#bytes.toString('utf8', 0, this.#size);
  }

  #makeRoom(size: number): void {
    if (size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(size, 2 * this.#bytes.length), this.#limitBytes));
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = larger;
  }
}

/** So many bytes are read in one turn of the event loop, however many have come: a connection that always has more would not give it back by itself. */
const sliceBytes = 16 * 1024;

/** What a piece costs beside its bytes, in bytes: it may have a single one. */
export const costOfPiece = 128;

/**
 * Reads a body through a reader, to the body's end or until the reader has enough: then the exchange that brings the rest is ended. Other work has its turn after
 * each 16 KiB.
 */
export async function readBody(body: AsyncIterable<Uint8Array>, reader: BodyReader): Promise<string> {
  const readSlice = new ReadSlice(sliceBytes);
  let isDue = false;
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += sliceBytes) {
      if (isDue) await readSlice.yieldTurn();
      const slice = chunk.subarray(start, start + sliceBytes);
      if (!reader.push(slice)) return reader.text();
      isDue = readSlice.isDue(slice.length + costOfPiece);
    }
  }
  return reader.text();
}
