import { TransportError } from '../error.ts';

/**
 * The outcome of an operation, or a rejection as soon as the signal is aborted. The signal stops a transport too; this bounds a call also
 * where it does not: one that never settled would hold its key, and with it a worker, forever.
 */
export function beforeAbort<T>(signal: AbortSignal, operation: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => {
      const reason: unknown = signal.reason;
      reject(
        new TransportError('Aborted', reason instanceof Error ? reason.message : String(reason), { cause: reason }),
      );
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    const settled = (): void => signal.removeEventListener('abort', abort);
    operation.then(
      (value) => {
        settled();
        resolve(value);
      },
      (error: unknown) => {
        settled();
        reject(error as Error); // Whatever the operation rejected with.
      },
    );
  });
}
