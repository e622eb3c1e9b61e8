import { zstdCompressSync } from 'node:zlib';
import type { Clock, Instant, Timer } from '@ordinal/client';
import type { Hide } from './encode.ts';
import { Encoder } from './encode.ts';
import type { RecordingLine } from './format.ts';
import type { Slot } from './slot.ts';

/** Where a recording goes. */
export interface RecordingSink {
  /** Takes a whole compressed part. `isFirst`: it begins a file, and what was before is another one. Rejects where it can't be written. */
  append(part: Uint8Array, isFirst: boolean): Promise<void>;
}

/** What a recording is written with. */
export interface RecordingWriterOptions {
  readonly clock: Clock;
  readonly sink: RecordingSink;
  readonly hide: Hide;
  /** The version of the operator. */
  readonly version: string;
  /** A file that is longer is ended, and another one begun, in bytes. */
  readonly fileBytes: number;
  /** Milliseconds that pass while something is done, as `performance.now` has them. */
  readonly elapsed: () => number;
  /** The processor time of the process so far, in milliseconds. */
  readonly cpu: () => number;
  /** Called with what is wrong with the file, each time that it can't be written. */
  readonly onFailure?: (error: unknown) => void;
}

/** So much waits to be written at most: reconciles, and the bytes that are kept for them alone. What comes then is counted, and left out. */
const maxWaiting = 4_096;
const maxWaitingBytes = 16_777_216;

/** How often it is written, in milliseconds, and after how long at the latest what was encoded. To ask for the processor time of the process costs most of a turn. */
const everyMs = 1_000;
const flushMs = 5_000;

/** A part is compressed as soon as it is so long, in characters. */
const partLength = 131_072;

/** Of the processor time of the process it takes this share, and this much of a processor where the process does little. */
const share = 0.01;
const floor = 0.0025;

/** It never works for longer without a pause, in milliseconds. */
const maxTurnMs = 20;

/** A file that is being written. */
interface RecordingFile {
  bytes: number;
  /** A part of it could not be written: what comes after that names objects which are not there. */
  isBroken: boolean;
}

/**
 * Writes what a `FlightRecorder` takes in: redacted, compressed, in files that can each be read alone.
 *
 * **Guarantees.** It works in pauses of the process and never in a reconcile, with a hundredth of the processor time that the process takes, or a quarter of a hundredth of
 * a processor. What waits is bounded; what does not fit, or can't be written, is left out, and the recording says how much. Nothing is written before it was through
 * `hide`.
 */
export class RecordingWriter {
  readonly #options: RecordingWriterOptions;
  readonly #waiting: Slot[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #encoder: Encoder;
  #text: string[] = [];
  #length = 0;
  /** How many reconciles the lines speak of that are in no part yet. */
  #encoded = 0;
  #encodedAt: Instant | undefined;
  #file: RecordingFile = { bytes: 0, isBroken: false };
  #allowance = 0;
  #cpu: number;
  #timer: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: RecordingWriterOptions) {
    this.#options = options;
    this.#encoder = new Encoder(options.hide);
    this.#cpu = options.cpu();
  }

  /** Takes in a reconcile that has ended. */
  readonly take = (slot: Slot): void => {
    const { weight } = slot;
    const isFull = this.#waiting.length >= maxWaiting || this.#waitingBytes + weight > maxWaitingBytes;
    if (isFull || this.#isClosed) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(slot);
    this.#waitingBytes += weight;
    this.#timer ??= this.#options.clock.after(everyMs, () => this.#turn());
  };

  /** Writes all that waits, however long it takes. Resolves when it is in the file. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0) this.#encodeNext();
    this.#endPart();
    await this.#writing;
  }

  /** The same, and takes in nothing any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.flush();
  }

  #turn(): void {
    this.#timer = undefined;
    const { clock, cpu, elapsed } = this.#options;
    const cpuNow = cpu();
    this.#allowance = Math.min(maxTurnMs, this.#allowance + Math.max(share * (cpuNow - this.#cpu), floor * everyMs));
    this.#cpu = cpuNow;
    const began = elapsed();
    while (this.#waiting.length > 0 && elapsed() - began < this.#allowance) this.#encodeNext();
    const isDue = this.#encodedAt !== undefined && clock.now() - this.#encodedAt >= flushMs;
    if (isDue) this.#endPart();
    // What took longer than it might is made up for later.
    this.#allowance -= elapsed() - began;
    if (this.#waiting.length > 0 || this.#length > 0) this.#timer = clock.after(everyMs, () => this.#turn());
  }

  #encodeNext(): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#waitingBytes -= next.weight;
    this.#encodedAt ??= this.#options.clock.now();
    try {
      for (const line of this.#encoder.lines(next)) this.#add(line);
      this.#encoded += 1;
    } catch (error) {
      this.#options.onFailure?.(error);
    }
    if (this.#dropped > 0) {
      this.#add({ type: 'dropped', count: this.#dropped, until: this.#options.clock.now() });
      this.#encoded += this.#dropped;
      this.#dropped = 0;
    }
    if (this.#length >= partLength) this.#endPart();
  }

  #add(line: RecordingLine): void {
    const text = JSON.stringify(line);
    this.#text.push(text, '\n');
    this.#length += text.length + 1;
  }

  #endPart(): void {
    if (this.#length === 0) return;
    const [file, isFirst, count] = [this.#file, this.#file.bytes === 0, this.#encoded];
    const { clock, version, sink, fileBytes, onFailure } = this.#options;
    const head: RecordingLine = { type: 'recording', format: 1, version, at: this.#encodedAt ?? clock.now() };
    const part = zstdCompressSync((isFirst ? `${JSON.stringify(head)}\n` : '') + this.#text.join(''));
    this.#empty();
    file.bytes += part.length;
    if (file.bytes >= fileBytes) this.#beginFile();
    const append = async (): Promise<void> => {
      if (file.isBroken) this.#dropped += count;
      else await sink.append(part, isFirst);
    };
    this.#writing = this.#writing.then(append).catch((error: unknown) => {
      this.#lose(file, count);
      onFailure?.(error);
    });
  }

  /** Another file begins where a part could not be written: so can all that comes be read. */
  #lose(file: RecordingFile, count: number): void {
    file.isBroken = true;
    this.#dropped += count;
    if (file !== this.#file) return;
    this.#dropped += this.#encoded;
    this.#empty();
    this.#beginFile();
  }

  #empty(): void {
    this.#text = [];
    this.#length = 0;
    this.#encoded = 0;
    this.#encodedAt = undefined;
  }

  /** The next file names no object of this one. */
  #beginFile(): void {
    this.#file = { bytes: 0, isBroken: false };
    this.#encoder = new Encoder(this.#options.hide);
  }
}
