import type { Instant } from '@ordinal/client';
import { instantOf } from '@ordinal/client';
import type { Facts } from './facts.ts';

/** How far an upgrade has come. */
export interface Estimate {
  /** From 0 to 1. */
  readonly done: number;
  /** When it may end, if the members to come take as long as those that are done; absent before the first, while something blocks it, and once that time has passed. */
  readonly endsAt?: string | undefined;
}

/** How far an upgrade has come, and when it may end. Undefined where none is under way. Pure. */
export function estimateOf({ upgrade, replicas = 0 }: Facts, now: Instant): Estimate | undefined {
  if (upgrade === undefined || upgrade.step === 'Failed' || replicas === 0) return undefined;
  const updated = Math.min(upgrade.updated, replicas);
  const started = instantOf(upgrade.startedAt);
  const done = updated / replicas;
  if (updated === 0 || started === undefined || upgrade.blockedBy !== undefined) return { done };
  const sinceLast = instantOf(upgrade.since) ?? now;
  const each = Math.max(0, sinceLast - started) / updated;
  const endsAt = sinceLast + each * (replicas - updated);
  return endsAt < now ? { done } : { done, endsAt: new Date(endsAt).toISOString() };
}
