/** How a reflector behaves, in milliseconds. */
export interface ReflectorTiming {
  /** A watch without any sign of life for so long is given up. The API server sends a bookmark about once a minute. */
  readonly silenceMs: number;
  /** The server ends a watch after this long, and up to twice as long, so that watches spread over its replicas. */
  readonly watchMs: number;
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
}

/** 90 s of silence, watches of 5 to 10 minutes, retries from 0.5 s to 30 s. */
export const defaultTiming: ReflectorTiming = {
  silenceMs: 90_000,
  watchMs: 300_000,
  backoffBaseMs: 500,
  backoffCapMs: 30_000,
};
