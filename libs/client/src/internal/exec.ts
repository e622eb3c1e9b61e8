import { Beginning } from '../body-reader.ts';
import type { ExecResult } from '../client.ts';
import type { Status } from '../error.ts';
import { ApiError, TransportError } from '../error.ts';
import type { TransportChannel } from '../transport.ts';
import { asStatus, parseReply } from './reply.ts';

/**
 * The subprotocol of exec and attach: the first byte of each message names its stream, and 255 with a stream's number closes that stream
 * (KEP-4006).
 */
export const execProtocol = 'v5.channel.k8s.io';

const stream = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;

/** Sends a command its input, collects what it prints, and shows how it ended. One that prints more than `limitBytes` is left: `ReplyTooLarge`. */
export async function runCommand(
  channel: TransportChannel,
  context: string,
  { stdin, limitBytes }: { readonly stdin: string | undefined; readonly limitBytes: number },
): Promise<ExecResult> {
  if (stdin !== undefined) {
    channel.send(Buffer.concat([Buffer.from([stream.stdin]), Buffer.from(stdin)]));
    channel.send(Uint8Array.of(stream.close, stream.stdin));
  }
  const outputs = { [stream.stdout]: new Beginning(limitBytes + 1), [stream.stderr]: new Beginning(limitBytes + 1) };
  for await (const message of channel.messages) {
    const [number] = message;
    const data = message.subarray(1);
    if (number === stream.stdout || number === stream.stderr) {
      // Leaving the loop closes the connection.
      if (!outputs[number].push(data))
        throw new TransportError('ReplyTooLarge', `${context}: the command printed more than ${limitBytes} bytes`);
    } else if (number === stream.error) {
      const status = endOf(parseReply(Buffer.from(data).toString('utf8')));
      if (status === undefined)
        throw new TransportError('MalformedReply', `${context}: the command's end was not reported as a Status`);
      const { [stream.stdout]: stdout, [stream.stderr]: stderr } = outputs;
      return { exitCode: exitCodeOf(status, context), stdout: stdout.text(), stderr: stderr.text() };
    }
  }
  throw new TransportError('ConnectionFailed', `${context}: the connection ended before the command did`);
}

// A kubelet shows the end as a Status without kind and apiVersion (k8s.io/cri-streaming, remotecommand); an API server that refuses gives both.
function endOf(value: unknown): Status | undefined {
  if (typeof value !== 'object' || value === null || !('status' in value)) return undefined;
  return asStatus({ kind: 'Status', apiVersion: 'v1', ...value });
}

// A command that ran and failed is a result; one that could not be run is an error.
function exitCodeOf(status: Status, context: string): number {
  if (status.status === 'Success') return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  const exitCode = Number(cause?.message);
  if (status.reason === 'NonZeroExitCode' && Number.isInteger(exitCode)) return exitCode;
  throw new ApiError(status, context);
}
