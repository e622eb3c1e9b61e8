import { ApiError, TransportError } from '@ordinal/client';

/** How the program ends. */
export const exitCodes = {
  /** It is done; of `why`: nothing is waited for. */
  done: 0,
  /** The API server refuses or can't be reached, or there is no such object. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** A verb would do nothing, or was not confirmed: nothing was written. */
  nothingDone: 3,
  /** Of `why`: something is waited for. Of `what-if`: the change would stop or fail, or an invariant is broken under a fault. Of `replay`, and of `plan --operator-bundle`: a decision is another one. */
  waits: 4,
} as const;

/** What ends a command: a sentence for the user that says what to do, and the exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** What an error says to the user, and the exit code that goes with it. */
export function sayingOf(error: unknown): { readonly message: string; readonly exitCode: number } {
  if (error instanceof CommandError) return error;
  const { failed: exitCode } = exitCodes;
  if (error instanceof ApiError && error.code === 'Forbidden')
    return {
      exitCode,
      message: `${error.message} (you need this permission yourself: the plugin has none of its own)`,
    };
  if (error instanceof TransportError)
    return { exitCode, message: `${error.message}; is this the right cluster? See kubectl config current-context` };
  return { exitCode, message: error instanceof Error ? error.message : String(error) };
}
