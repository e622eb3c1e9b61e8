import type { Instant } from './clock.ts';

/** An instant as `metav1.Time` is written: RFC 3339 in UTC, whole seconds. */
export function timestamp(instant: Instant): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

/** An instant as `metav1.MicroTime` is written, as in Leases and Events: RFC 3339 in UTC, microseconds. */
export function microTimestamp(instant: Instant): string {
  return new Date(instant).toISOString().replace('Z', '000Z');
}

/** The instant that a timestamp of the API names; undefined where there is none or it can't be read. */
export function instantOf(text: string | undefined): Instant | undefined {
  const instant = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}
