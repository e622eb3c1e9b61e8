import type { Transport, TransportChannel, TransportReply, TransportRequest } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import type { Activity } from './activity.ts';
import type { Timeline } from './timeline.ts';

/** What the way to a real API server works with. */
export interface DatedTransportOptions {
  readonly inner: Transport;
  readonly timeline: Timeline;
  readonly activity: Activity;
}

/** Timestamps of the machine's clock. The world's own are of another century, so that the two are never confused. */
const wallTime = /"(20[0-8]\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"/g;

/** How many characters a timestamp has at most, with its quotation marks. */
const longestTimestamp = 40;

/** The start of a world's own clock. */
export const ownEpoch = Date.UTC(2100, 0, 1);

/** The way to a real API server for a client with a clock of its own: what the server dates is shown in that clock's time. */
export class DatedTransport implements Transport {
  private readonly options: DatedTransportOptions;

  constructor(options: DatedTransportOptions) {
    this.options = options;
  }

  /** Sends a request. */
  async send(request: TransportRequest): Promise<TransportReply> {
    const { inner, activity } = this.options;
    const ended = activity.begin();
    const isWatch = /[?&]watch=(true|1)/.test(request.path);
    try {
      const reply = await inner.send(request);
      if (isWatch) ended();
      else if (request.method !== 'GET' && reply.status < 300) activity.change();
      return { ...reply, body: this.dated(reply.body, ended) };
    } catch (error) {
      ended();
      throw error;
    }
  }

  /** Opens a channel of messages. */
  connect(request: TransportRequest & { readonly protocols: readonly string[] }): Promise<TransportChannel> {
    return this.options.inner.connect(request);
  }

  /** Closes nothing: the connections are shared with the server's other clients. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  private async *dated(body: AsyncIterable<Uint8Array>, ended: () => void): AsyncGenerator<Uint8Array> {
    try {
      // As latin1, each byte is a character: a chunk may end within one of UTF-8, or within a timestamp, which then begins at the last quotation mark.
      let text = '';
      for await (const chunk of body) {
        text = this.translate(text + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1'));
        const mark = text.lastIndexOf('"');
        // A watch's event is passed on when it is whole, not when the next one comes.
        const isCut = !text.endsWith('\n') && mark >= 0 && text.length - mark < longestTimestamp;
        const whole = isCut ? mark : text.length;
        if (whole > 0) yield Buffer.from(text.slice(0, whole), 'latin1');
        text = text.slice(whole);
      }
      if (text !== '') yield Buffer.from(text, 'latin1');
    } finally {
      ended();
    }
  }

  private translate(text: string): string {
    const { timeline } = this.options;
    return text.replace(wallTime, (_, at: string) => `"${timestamp(timeline.ownAt(Date.parse(at)))}"`);
  }
}
