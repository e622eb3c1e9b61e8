import type { Status, TransportChannel } from '@ordinal/client';
import type { Eventually, SimulatedExit } from '../node/program.ts';

/** The streams of the subprotocol `v5.channel.k8s.io`, by their numbers. */
const stream = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;

/**
 * Runs a command behind a channel of messages, as exec has it: what it prints, then how it ended. With input, the command starts when the input has been
 * closed.
 */
export function execChannel(run: (stdin: string) => Eventually<SimulatedExit>, readsInput: boolean): TransportChannel {
  const messages: Uint8Array[] = [];
  const input: Uint8Array[] = [];
  let closed = false;
  let wake: (() => void) | undefined;
  const notify = (): void => {
    wake?.();
    wake = undefined;
  };
  const end = (exit: SimulatedExit): void => {
    if (exit.stdout !== undefined && exit.stdout !== '') messages.push(message(stream.stdout, exit.stdout));
    if (exit.stderr !== undefined && exit.stderr !== '') messages.push(message(stream.stderr, exit.stderr));
    messages.push(message(stream.error, JSON.stringify(statusOf(exit.exitCode))));
    closed = true;
    notify();
  };
  const fail = (error: unknown): void => {
    messages.push(message(stream.error, JSON.stringify(failure(error))));
    closed = true;
    notify();
  };
  const start = async (): Promise<void> => {
    try {
      end(await run(Buffer.concat(input).toString('utf8')));
    } catch (error) {
      fail(error);
    }
  };
  if (!readsInput) void start();
  return {
    send: (sent) => {
      if (sent[0] === stream.stdin) input.push(sent.subarray(1));
      else if (readsInput && sent[0] === stream.close && sent[1] === stream.stdin) void start();
    },
    close: () => {
      closed = true;
      notify();
    },
    messages: (async function* (): AsyncGenerator<Uint8Array> {
      for (;;) {
        for (let next = messages.shift(); next !== undefined; next = messages.shift()) yield next;
        if (closed) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    })(),
  };
}

/** What a process writes, behind a channel of messages, until it ends or the channel is closed. */
export function attachChannel(follow: (signal: AbortSignal) => AsyncIterable<string> | undefined): TransportChannel {
  const closed = new AbortController();
  return {
    send: () => undefined,
    close: () => closed.abort(),
    messages: (async function* (): AsyncGenerator<Uint8Array> {
      for await (const line of follow(closed.signal) ?? []) yield message(stream.stdout, `${line}\n`);
      if (!closed.signal.aborted) yield message(stream.error, JSON.stringify(statusOf(0)));
    })(),
  };
}

function message(number: number, text: string): Uint8Array {
  return Buffer.concat([Uint8Array.of(number), Buffer.from(text)]);
}

/** How a command ended, in the form of a real kubelet: a Status that does not say that it is one. */
type Ending = Partial<Omit<Status, 'kind' | 'apiVersion'>> & { readonly metadata: object };

function statusOf(exitCode: number): Ending {
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  const text = `command terminated with non-zero exit code: exit status ${exitCode}`;
  const details = { causes: [{ reason: 'ExitCode', message: String(exitCode) }] };
  return { metadata: {}, status: 'Failure', message: text, reason: 'NonZeroExitCode', details };
}

function failure(error: unknown): Ending {
  const text = error instanceof Error ? error.message : String(error);
  return { metadata: {}, status: 'Failure', message: text, reason: 'InternalError', code: 500 };
}
