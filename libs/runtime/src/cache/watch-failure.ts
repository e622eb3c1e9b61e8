import type { Instant } from '@ordinal/client';

/** What keeps a cache from being current. */
export interface WatchFailure {
  /** The kind, `statefulsets.apps`, with its namespace where the cache is scoped by one. */
  readonly kind: string;
  readonly namespace?: string;
  /** The verb that the API server did not grant or did not answer. */
  readonly verb: 'list' | 'watch';
  /** The error's code: `Forbidden`, `ConnectionFailed`, `Silent` … */
  readonly code: string;
  readonly message: string;
  /** Since when, without a break. */
  readonly since: Instant;
}

/** A watch that has shown no sign of life for so long that it was given up: neither an event nor a bookmark. */
export class SilentWatchError extends Error {
  override readonly name = 'SilentWatchError';
  readonly code = 'Silent';

  constructor(kind: string, silentMs: number) {
    super(`watch ${kind}: no event and no bookmark for ${Math.round(silentMs / 1000)} s; connecting again`);
  }
}

/** An error's code for readiness and metrics, whatever was thrown. */
export function codeOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string')
    return error.code;
  return error instanceof Error ? error.name : 'Unknown';
}

/** An error's message, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
