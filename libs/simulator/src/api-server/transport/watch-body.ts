import { TransportError } from '@ordinal/client';
import type { ServerWatchEvent, WatchHandle, WatchListener } from '../request.ts';

const encoder = new TextEncoder();

/**
 * A watch as the body of a reply: a line of JSON for each event. It begins when it is opened, not when it is first read, so that nothing that happens in
 * between is missed.
 */
export function watchBody(
  open: (listener: WatchListener) => WatchHandle,
  {
    signal,
    open: streams,
    show,
  }: {
    signal: AbortSignal | undefined;
    open: Set<() => void>;
    show: (event: ServerWatchEvent) => ServerWatchEvent;
  },
): AsyncIterable<Uint8Array> {
  const queue: ServerWatchEvent[] = [];
  let ended = false;
  let failure: TransportError | undefined;
  let wake: (() => void) | undefined;
  const notify = (): void => {
    wake?.();
    wake = undefined;
  };
  const handle = open({
    event: (event) => {
      queue.push(event);
      notify();
    },
    end: () => {
      ended = true;
      notify();
    },
  });
  const cut = (error: TransportError | undefined): void => {
    failure ??= error;
    ended = true;
    handle.stop();
    notify();
  };
  const disconnect = (): void => cut(new TransportError('ConnectionFailed', 'the connection was closed'));
  const abort = (): void => cut(new TransportError('Aborted', 'the watch was aborted', { cause: signal?.reason }));
  streams.add(disconnect);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  const finish = (): void => {
    handle.stop();
    streams.delete(disconnect);
    signal?.removeEventListener('abort', abort);
  };
  return {
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          for (let event = queue.shift(); event !== undefined; event = queue.shift())
            yield encoder.encode(`${JSON.stringify(show(event))}\n`);
          if (failure) throw failure;
          if (ended) return;
          await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        finish();
      }
    },
  };
}
