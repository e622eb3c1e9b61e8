import type { Scheduler } from '../scheduler/scheduler.ts';
import type { Incarnation } from './incarnation.ts';
import { wayMs } from './incarnation.ts';

/** How a watch's events come to an operator. */
export interface WatchPipeOptions {
  readonly incarnation: Incarnation;
  readonly scheduler: Scheduler;
  /** Called with each chunk that the operator gets. */
  readonly delivered: (chunk: Uint8Array) => void;
}

const encoder = new TextEncoder();
const goneEvent = encoder.encode(
  `${JSON.stringify({
    type: 'ERROR',
    object: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason: 'Expired',
      message: 'too old resource version',
      code: 410,
    },
  })}\n`,
);

/**
 * The way of a watch's events to an operator: in order, each shortly after it happened. It can be held up, which makes the operator's cache stale, and
 * cut, after which the operator has to list again and never learns what happened between.
 */
export class WatchPipe {
  private readonly options: WatchPipeOptions;
  private readonly arrived: Uint8Array[] = [];
  private readonly held: Uint8Array[] = [];
  private isHeld = false;
  private ended: { readonly error?: unknown } | undefined;
  private wake: (() => void) | undefined;
  private lastAt = 0;

  constructor(source: AsyncIterable<Uint8Array>, options: WatchPipeOptions) {
    this.options = options;
    void this.pump(source);
  }

  /** Sends what comes before the first event of the source. */
  begin(chunks: readonly Uint8Array[]): void {
    for (const chunk of chunks) this.send(chunk);
  }

  /** Events wait here from now on. */
  hold(): void {
    this.isHeld = true;
  }

  /** Lets what waits go its way. */
  release(): void {
    this.isHeld = false;
    for (const chunk of this.held.splice(0)) this.send(chunk);
  }

  /** Throws away what waits, and reports to the operator that its version is too old (410): it has to list. */
  expire(): void {
    this.isHeld = false;
    this.held.length = 0;
    this.send(goneEvent);
    this.schedule(() => this.end({}));
  }

  /** Breaks the connection. */
  cut(): void {
    this.isHeld = false;
    this.held.length = 0;
    this.schedule(() => this.end({}));
  }

  /** The events as the operator reads them. `closed` is called when it reads no more. */
  async *read(closed: () => void): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        for (let chunk = this.arrived.shift(); chunk !== undefined; chunk = this.arrived.shift()) yield chunk;
        if (this.ended !== undefined) {
          if ('error' in this.ended) throw this.ended.error;
          return;
        }
        await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      closed();
    }
  }

  private async pump(source: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of source) {
        if (this.isHeld) this.held.push(chunk);
        else this.send(chunk);
      }
      this.schedule(() => this.end({}));
    } catch (error) {
      this.schedule(() => this.end({ error }));
    }
  }

  private send(chunk: Uint8Array): void {
    this.schedule(() => {
      if (this.ended !== undefined) return;
      this.options.delivered(chunk);
      this.arrived.push(chunk);
      this.notify();
    });
  }

  /** Everything on this way arrives in the order in which it was sent. */
  private schedule(action: () => void): void {
    const { scheduler, incarnation } = this.options;
    const delay = wayMs[0] + Math.floor(scheduler.random() * (wayMs[1] - wayMs[0] + 1));
    this.lastAt = Math.max(this.lastAt, scheduler.now() + delay);
    incarnation.after(this.lastAt - scheduler.now(), 'watch event', action);
  }

  private end(how: { readonly error?: unknown }): void {
    this.ended ??= how;
    this.notify();
  }

  private notify(): void {
    this.wake?.();
    this.wake = undefined;
  }
}
