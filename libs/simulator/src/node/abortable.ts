/** What settles a promise. */
export interface Settling<T> {
  resolve(value: T): void;
  reject(error: Error): void;
}

/**
 * A promise that `start` settles, or that is rejected with the signal's reason when it is aborted, whichever comes first; `start` is not called where it is
 * aborted already. Drops the signal when it is settled, as `fetch` does: the signal may live as long as its program.
 */
export function abortable<T>(signal: AbortSignal | undefined, start: (settling: Settling<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason as Error); // What it was aborted with.
    if (signal?.aborted === true) {
      abort();
      return;
    }
    const settled = (): void => signal?.removeEventListener('abort', abort);
    signal?.addEventListener('abort', abort, { once: true });
    start({
      resolve(value) {
        settled();
        resolve(value);
      },
      reject(error) {
        settled();
        reject(error);
      },
    });
  });
}
