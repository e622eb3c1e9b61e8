import type { Instant } from '@ordinal/client';
import { instantOf } from '@ordinal/client';
import { shortDuration } from './duration.ts';

/** How long ago a time was; empty where there is none. */
export function ageOf(time: string | undefined, now: Instant): string {
  const instant = instantOf(time);
  return instant === undefined ? '' : shortDuration(now - instant);
}
