import type { Clock, Instant } from '@ordinal/client';

/** What a watch is watched by. */
export interface Watched {
  readonly clock: Clock;
  /** How long it may show no sign of life, in milliseconds. */
  readonly silenceMs: number;
  /** When it last showed one. */
  readonly lastSign: () => Instant;
}

/** Calls back once, with how long it has lasted in milliseconds, when a watch has been silent for too long; not after `stop`. */
export function watchSilence(
  { clock, silenceMs, lastSign }: Watched,
  onSilent: (silentMs: number) => void,
): { stop(): void } {
  const check = (): void => {
    const silentMs = clock.now() - lastSign();
    if (silentMs >= silenceMs) onSilent(silentMs);
    else timer = clock.after(silenceMs - silentMs, check);
  };
  let timer = clock.after(silenceMs, check);
  return { stop: () => timer.cancel() };
}
