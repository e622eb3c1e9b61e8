import { TransportError } from '@ordinal/client';
import type { BodyReader } from '@ordinal/client';
import type { MetricCheck } from './check.ts';
import type { Sample } from './metric-text.ts';
import { sampleOf } from './metric-text.ts';

/** How much of a page of metrics is taken. */
export interface MetricBounds {
  /** Of the whole page, in bytes. */
  readonly pageBytes: number;
  /** Of one line with a sample of the metric, in bytes. */
  readonly lineBytes: number;
  /** How many samples of the metric, whatever their labels are. */
  readonly samples: number;
}

/** A page of a busy server, and more samples of one metric than a person reads. */
const usualMetricBounds: MetricBounds = {
  pageBytes: 4 * 1024 * 1024,
  lineBytes: 16 * 1024,
  samples: 10_000,
};

const newline = 0x0a;
const endOfMetrics = '# EOF';
/** What stands behind the name of a metric. */
const behindName: readonly (number | undefined)[] = [0x09, 0x20, 0x7b];

/**
 * Keeps of a page of metrics the line with the largest sample of one metric that has the labels, or one that is not a number, while the page arrives. Nothing
 * else of it stays but the line that is being read; each byte is looked at a bounded number of times, and work goes on by no more than what has arrived.
 * OpenMetrics' `# EOF` ends the page. A page beyond the bounds ends with a `TransportError` of code `ReplyTooLarge`: the largest sample may be in the rest.
 */
export class MetricLines implements BodyReader {
  readonly #metric: Pick<MetricCheck, 'name' | 'labels'>;
  readonly #bounds: MetricBounds;
  /** So many bytes of a line tell what it is. */
  readonly #telling: number;
  /** The beginning of the line that is being read: all of it where it may be a sample of the metric. */
  #line: Buffer;
  #length = 0;
  /** Undefined while that is open. */
  #isSample: boolean | undefined;
  #pageBytes = 0;
  #samples = 0;
  #largest: { readonly line: string; readonly value: number } | undefined;

  constructor(metric: Pick<MetricCheck, 'name' | 'labels'>, bounds: MetricBounds = usualMetricBounds) {
    this.#metric = metric;
    this.#bounds = bounds;
    this.#telling = Math.max(metric.name.length, endOfMetrics.length) + 1;
    this.#line = Buffer.alloc(this.#telling);
  }

  /** Looks at what has arrived. False once the page has ended. */
  push(chunk: Uint8Array): boolean {
    const { length } = chunk;
    this.#pageBytes += length;
    if (this.#pageBytes > this.#bounds.pageBytes)
      throw tooLarge(`the page is longer than ${this.#bounds.pageBytes} bytes`);
    for (let at = 0; at < length; at += 1) {
      const from = this.#begin(chunk, at);
      at = lineEnd(chunk, from);
      if (at > from && this.#isSample === true) this.#goOn(chunk, from, at);
      if (at === length) return true;
      if (this.#length === endOfMetrics.length && this.#text() === endOfMetrics) return false;
      this.#endLine();
    }
    return true;
  }

  /** The line that is kept; empty where there is none. A page that breaks off ends its last line. */
  text(): string {
    this.#endLine();
    return this.#largest?.line ?? '';
  }

  /** Takes the bytes that tell what the line is. The place behind them. */
  #begin(chunk: Uint8Array, from: number): number {
    let at = from;
    for (; this.#length < this.#telling && at < chunk.length; at += 1) {
      const byte = chunk[at] ?? newline; // Within its length.
      if (byte === newline) return at;
      this.#line[this.#length] = byte;
      this.#length += 1;
      if (this.#length === this.#telling) this.#isSample = this.#beginsWithName();
    }
    return at;
  }

  /** Takes more of a line that is a sample. */
  #goOn(chunk: Uint8Array, from: number, end: number): void {
    const length = this.#length + end - from;
    const { lineBytes } = this.#bounds;
    if (length > lineBytes) throw tooLarge(`a sample of ${this.#metric.name} is longer than ${lineBytes} bytes`);
    if (length > this.#line.length) this.#makeRoom(length);
    this.#line.set(chunk.subarray(from, end), this.#length);
    this.#length = length;
  }

  #makeRoom(length: number): void {
    const larger = Buffer.alloc(Math.min(Math.max(length, 2 * this.#line.length), this.#bounds.lineBytes));
    larger.set(this.#line);
    this.#line = larger;
  }

  #beginsWithName(): boolean {
    const { name } = this.#metric;
    const isLongEnough = this.#length > name.length;
    return isLongEnough && behindName.includes(this.#line[name.length]) && this.#text(name.length) === name;
  }

  #endLine(): void {
    if (this.#isSample ?? this.#beginsWithName()) this.#take(this.#text());
    this.#length = 0;
    this.#isSample = undefined;
  }

  #text(length = this.#length): string {
    return this.#line.toString('utf8', 0, length);
  }

  #take(line: string): void {
    const { name, labels } = this.#metric;
    this.#samples += 1;
    if (this.#samples > this.#bounds.samples) throw tooLarge(`more than ${this.#bounds.samples} samples of ${name}`);
    const sample = sampleOf(line, name);
    if (sample === undefined || !hasLabels(sample, labels)) return;
    const { value } = sample;
    if (this.#largest === undefined || Number.isNaN(value) || value > this.#largest.value)
      this.#largest = { line, value };
  }
}

function lineEnd(chunk: Uint8Array, from: number): number {
  let at = from;
  while (at < chunk.length && chunk[at] !== newline) at += 1;
  return at;
}

const hasLabels = (sample: Sample, labels: Sample['labels']): boolean =>
  Object.entries(labels).every(([key, value]) => sample.labels[key] === value);

const tooLarge = (message: string): TransportError => new TransportError('ReplyTooLarge', message);
