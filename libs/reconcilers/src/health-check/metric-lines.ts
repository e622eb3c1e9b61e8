import { Beginning, TransportError } from '@ordinal/client';
import type { BodyReader } from '@ordinal/client';

/** How much of a page of metrics is taken. */
export interface MetricBounds {
  /** Of the whole page, in bytes. */
  readonly pageBytes: number;
  /** Of one line with a sample of the metric, in bytes. */
  readonly lineBytes: number;
  /** Of all lines with samples of the metric together, in bytes. */
  readonly keptBytes: number;
}

/** A page of a busy server, and some thousands of samples of one metric. */
export const usualMetricBounds: MetricBounds = {
  pageBytes: 4 * 1024 * 1024,
  lineBytes: 16 * 1024,
  keptBytes: 1024 * 1024,
};

const [newline, tab, space, brace] = [0x0a, 0x09, 0x20, 0x7b];
const endOfMetrics = '# EOF';

/**
 * Keeps of a page of metrics the lines with samples of one metric, while the page arrives: nothing else of it stays, each byte is looked at once, and work goes
 * on by no more than what has arrived. OpenMetrics' `# EOF` ends the page. A page beyond the bounds ends with a `TransportError` of code `ReplyTooLarge`: the
 * largest sample may be in the rest.
 */
export class MetricLines implements BodyReader {
  readonly #name: string;
  readonly #bounds: MetricBounds;
  readonly #kept: Beginning;
  /** Of the line that is being read: how much of it there was, and what can still be said of it. */
  #length = 0;
  #line: 'new' | 'wanted' | 'other' = 'new';
  #mayEnd = true;
  #mayBeName = true;
  #pageBytes = 0;

  constructor(name: string, bounds: MetricBounds = usualMetricBounds) {
    this.#name = name;
    this.#bounds = bounds;
    this.#kept = new Beginning(bounds.keptBytes + 1);
  }

  /** Looks at what has arrived. False once the page has ended. */
  push(chunk: Uint8Array): boolean {
    const { length } = chunk;
    this.#pageBytes += length;
    // Lines that are kept and stand together are copied at once: from here on.
    let run: number | undefined;
    let lineStart = 0;
    let goesOn = true;
    for (let at = 0; at < length && goesOn;) {
      const before = this.#line;
      if (before === 'new') at = this.#begin(chunk, at);
      if (this.#line === 'wanted') {
        if (before === 'new') run ??= this.#runFrom(at, lineStart);
        else run ??= at;
        at = this.#pass(chunk, at);
      } else if (this.#line === 'other') at = lineEnd(chunk, at);
      if (this.#line !== 'wanted' && run !== undefined) {
        this.#keep(chunk.subarray(run, lineStart));
        run = undefined;
      }
      if (at === length) break;
      goesOn = !(this.#line === 'new' && this.#mayEnd && this.#length === endOfMetrics.length);
      this.#startLine();
      at += 1;
      lineStart = at;
    }
    if (run !== undefined) this.#keep(chunk.subarray(run));
    if (this.#pageBytes > this.#bounds.pageBytes)
      throw tooLarge(`the page is longer than ${this.#bounds.pageBytes} bytes`);
    return goesOn;
  }

  /** The lines with samples of the metric. */
  text(): string {
    return this.#kept.text();
  }

  #startLine(): void {
    this.#line = 'new';
    this.#mayEnd = true;
    this.#mayBeName = true;
    this.#length = 0;
  }

  /** Where to copy from, of a line that turned out to be wanted; the part of its name that came with an earlier chunk is put in front. */
  #runFrom(at: number, lineStart: number): number {
    if (at - lineStart === this.#name.length) return lineStart;
    this.#keep(Buffer.from(this.#name));
    return at;
  }

  /** Compares the line's beginning with the name, and with the end of the page. */
  #begin(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at += 1, this.#length += 1) {
      const byte = chunk[at] ?? newline; // Within its length.
      if (byte === newline) return at;
      if (this.#mayBeName && this.#length === this.#name.length && (byte === brace || byte === space || byte === tab)) {
        this.#line = 'wanted';
        return at;
      }
      this.#mayEnd &&= byte === endOfMetrics.charCodeAt(this.#length);
      this.#mayBeName &&= byte === this.#name.charCodeAt(this.#length);
      if (!this.#mayEnd && !this.#mayBeName) {
        this.#line = 'other';
        return at;
      }
    }
    return chunk.length;
  }

  #pass(chunk: Uint8Array, from: number): number {
    const end = lineEnd(chunk, from);
    this.#length += end - from;
    if (this.#length > this.#bounds.lineBytes)
      throw tooLarge(`a sample of ${this.#name} is longer than ${this.#bounds.lineBytes} bytes`);
    return end;
  }

  #keep(bytes: Uint8Array): void {
    if (!this.#kept.push(bytes))
      throw tooLarge(`the samples of ${this.#name} are longer than ${this.#bounds.keptBytes} bytes`);
  }
}

function lineEnd(chunk: Uint8Array, from: number): number {
  let at = from;
  while (at < chunk.length && chunk[at] !== newline) at += 1;
  return at;
}

const tooLarge = (message: string): TransportError => new TransportError('ReplyTooLarge', message);
