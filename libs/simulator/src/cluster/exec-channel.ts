import type { Status, TransportChannel } from '@ordinal/client';
import type { Eventually, SimulatedExit } from '../node/program.ts';
import { messageOf, partsOf, stream } from './channel-protocol.ts';
import type { ChannelProtocol } from './channel-protocol.ts';

/** How a client has opened a channel. */
export interface ChannelOptions {
  readonly protocol: ChannelProtocol;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

/**
 * Runs a command behind a channel of messages, as exec has it: what it prints, then how it ended. With input, the command starts when the input has been
 * closed; where the protocol has no message for that, when the first input has come.
 */
export function execChannel(
  run: (stdin: string) => Eventually<SimulatedExit>,
  options: ChannelOptions,
): TransportChannel {
  const { protocol } = options;
  const messages: Uint8Array[] = [openingOf(options)];
  const input: Uint8Array[] = [];
  let closed = false;
  let wake: (() => void) | undefined;
  const notify = (): void => {
    wake?.();
    wake = undefined;
  };
  const print = (name: 'stdout' | 'stderr', text = ''): void => {
    if (text !== '' && options[name]) messages.push(messageOf(protocol, stream[name], text));
  };
  const end = (ending: Ending): void => {
    const text = endingIn(protocol, ending);
    if (text !== undefined) messages.push(messageOf(protocol, stream.error, text));
    closed = true;
    notify();
  };
  const start = async (): Promise<void> => {
    try {
      const { stdout, stderr, exitCode } = await run(Buffer.concat(input).toString('utf8'));
      print('stdout', stdout);
      print('stderr', stderr);
      end(statusOf(exitCode));
    } catch (error) {
      end(failure(error));
    }
  };
  let started = !options.stdin;
  const startOnce = (): void => {
    if (started) return;
    started = true;
    void start();
  };
  if (!options.stdin) void start();
  return {
    send: (sent) => {
      const [number, data] = partsOf(protocol, sent);
      if (number === stream.stdin) {
        input.push(data);
        if (!protocol.closesInput) startOnce();
      } else if (protocol.closesInput && number === stream.close && data[0] === stream.stdin) startOnce();
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
export function attachChannel(
  follow: (signal: AbortSignal) => AsyncIterable<string> | undefined,
  options: ChannelOptions,
): TransportChannel {
  const closed = new AbortController();
  const { protocol } = options;
  return {
    send: () => undefined,
    close: () => closed.abort(),
    messages: (async function* (): AsyncGenerator<Uint8Array> {
      yield openingOf(options);
      for await (const line of follow(closed.signal) ?? [])
        if (options.stdout) yield messageOf(protocol, stream.stdout, `${line}\n`);
      const ending = endingIn(protocol, statusOf(0));
      if (!closed.signal.aborted && ending !== undefined) yield messageOf(protocol, stream.error, ending);
    })(),
  };
}

/** An empty message, which shows the client that it is connected. */
function openingOf({ protocol, stdout, stderr }: ChannelOptions): Uint8Array {
  return messageOf(protocol, stdout ? stream.stdout : stderr ? stream.stderr : stream.error, '');
}

/** How a command ended, in the form of a real kubelet: a Status that does not say that it is one. */
type Ending = Partial<Omit<Status, 'kind' | 'apiVersion'>> & { readonly metadata: object };

function endingIn({ endsWithStatus }: ChannelProtocol, ending: Ending): string | undefined {
  if (endsWithStatus) return JSON.stringify(ending);
  return ending.status === 'Success' ? undefined : (ending.message ?? '');
}

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
