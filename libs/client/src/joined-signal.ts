/** A signal that follows others, until it is released. */
export interface JoinedSignal {
  readonly signal: AbortSignal;
  /** The others are followed no more. To be called when what the signal was made for has ended; harmless when repeated. */
  release(): void;
}

/**
 * A signal that is aborted as soon as one of `sources` is, with its reason. Unlike the signals of `AbortSignal.any`, which Node keeps with all their
 * listeners for as long as no source is aborted (nodejs/node lib/internal/abort_controller.js, `gcPersistentSignals`), it is collected when its user drops it. An operator
 * makes one for each probe and each watch, and its sources live as long as the process.
 */
export function joinSignals(...sources: readonly AbortSignal[]): JoinedSignal {
  const controller = new AbortController();
  const release = (): void => {
    for (const source of sources) source.removeEventListener('abort', follow);
  };
  const follow = (): void => {
    release();
    controller.abort(sources.find(({ aborted }) => aborted)?.reason);
  };
  if (sources.some(({ aborted }) => aborted)) follow();
  else for (const source of sources) source.addEventListener('abort', follow, { once: true });
  return { signal: controller.signal, release };
}
