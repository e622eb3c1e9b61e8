import type { Duration, Timestamp } from './value.ts';

function fraction(nanoseconds: bigint): string {
  return nanoseconds === 0n ? '' : `.${nanoseconds.toString().padStart(9, '0').replace(/0+$/, '')}`;
}

/** A duration in seconds: `90s`, `0.5s`. */
export function printDuration({ nanoseconds }: Duration): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  return `${nanoseconds < 0n ? '-' : ''}${(size / 1_000_000_000n).toString()}${fraction(size % 1_000_000_000n)}s`;
}

/** A time by RFC 3339 in UTC, with as many digits as it needs. */
export function printTimestamp({ nanoseconds }: Timestamp): string {
  const rest = ((nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const date = new Date(Number((nanoseconds - rest) / 1_000_000n));
  return `${date
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/^\+00/, '')}${fraction(rest)}Z`;
}
