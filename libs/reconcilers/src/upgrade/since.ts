import type { Instant } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import { atTheLatest } from '@ordinal/lifecycle';

/**
 * Since when an upgrade has been at its step, in the words of the status: as recorded where it was at this one before, and else from now on. Pure.
 *
 * **Guarantees.** What lies in the future, because the clock was set back, is now: a bake would begin again with each look.
 */
export const sinceIn = (same: { readonly since?: string } | undefined, now: Instant): string =>
  timestamp(atTheLatest(instantOf(same?.since) ?? now, now));
