import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';

/** Longer than any fault keeps the operator from acting, and than it may then pause, in milliseconds. */
const patienceMs = 600_000;

/** The longest pause between two tries, as it is promised, in milliseconds. */
const longestPauseMs = 1_800_000;

/** How long a clean-up may stand still that was free to go on from this time. To an operator whose clock is set forward, the failure began an hour ago: the next pause may be the longest. */
function patienceFrom(began: number, { trace }: TestCluster): number {
  const isPausing = trace.entries.some(
    ({ action, outcome = '', at }) =>
      action === 'set clock of' && Number.parseInt(outcome, 10) > 0 && at >= began - longestPauseMs,
  );
  return isPausing ? patienceMs + longestPauseMs : patienceMs;
}

/** One clean-up of an object, by the object's UID. */
interface CleanUp {
  readonly of: string;
  /** Whether something is left, or under way, that it has to wait for. */
  readonly waits: boolean;
}

/**
 * Clean-up does not lean on what may be gone before it (I18): from the time at which nothing is there any more that it has to wait for, it goes on. Whether it ends
 * at all is asked of every history; this one asks that it does not wait for something that will never come again, and ends only because of a deadline.
 *
 * `cleanUps` says which objects are being cleaned up now, and whether they have to wait.
 */
export function cleanUpNeedsNoUser(cleanUps: (cluster: TestCluster) => readonly CleanUp[]): Invariant {
  const free = new WeakMap<TestCluster, Map<string, number>>();
  return {
    name: 'clean-up does not wait for what is gone (I18)',
    afterChange: (cluster) => {
      const now = cluster.clock.now();
      const since = free.get(cluster) ?? new Map<string, number>();
      free.set(cluster, since);
      const waiting = cleanUps(cluster).filter(({ waits }) => !waits);
      // What goes on now, or is done, has not waited for longer than it may have.
      // The trace is read only where it matters.
      const late = [...since]
        .filter(([, began]) => now - began > patienceMs)
        .find(([, began]) => now - began > patienceFrom(began, cluster));
      for (const of of [...since.keys()]) if (!waiting.some((one) => one.of === of)) since.delete(of);
      for (const { of } of waiting) if (!since.has(of)) since.set(of, now);
      if (!late) return undefined;
      const [of, began] = late;
      return `the clean-up of ${of} stood still for ${Math.round((now - began) / 1000)} s, and nothing was left to wait for`;
    },
  };
}
