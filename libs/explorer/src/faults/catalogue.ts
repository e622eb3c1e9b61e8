import type { Fault, FaultName, FaultPoint } from './fault.ts';

/** What a history without faults has shown, and what the scenario allows: the ground that faults are enumerated on. */
export interface FaultGround {
  /** How many writes, and external calls, the operator has made. */
  readonly writes: number;
  readonly externalCalls: number;
  /** The kinds that the operator watches, and those it writes (plural names). */
  readonly watchedKinds: readonly string[];
  readonly writtenKinds: readonly string[];
  /** The user's actions that the scenario lists. */
  readonly actions: readonly string[];
  /** The user's mistakes that it lists. */
  readonly mistakes: readonly string[];
  readonly hasOlderVersion: boolean;
}

/**
 * The classes that a search tries by default: those that every operator must bear without its author preparing anything. Time travel is for
 * operators that read from API servers older than 1.31, or ask for `resourceVersion=0`: newer servers answer an unversioned list with the latest state.
 */
export const defaultFaults: readonly FaultName[] = [
  'crash',
  'ambiguous',
  'refuse',
  'stale',
  'unobserved',
  'user',
  'mistake',
  'pod',
  'outage',
  'clock',
  'permission',
];

const longerThanAReconcileMs = 20_000;
const longerThanABackoffMs = 120_000;
const longerThanALeaseMs = 60_000;
const longerThanADeadlineMs = 1_200_000;
const nodeLossMs = 420_000;
/** A backup of shortly before, and one from before much of what happens. */
const restoredMs = [5_000, 60_000];

/** Every fault of a class at every point of the history. */
export function enumerateFaults(name: FaultName, ground: FaultGround): readonly Fault[] {
  const writes = pointsOf('write', ground.writes);
  const externals = pointsOf('external', ground.externalCalls);
  const after = writes.filter(({ when }) => when === 'after');
  const before = [...writes, ...externals].filter(({ when }) => when === 'before');
  switch (name) {
    case 'crash':
      return [...writes, ...externals].map((at) => ({ fault: 'crash', at }));
    case 'ambiguous':
      return [...writes, ...externals].map((at) => ({ fault: 'ambiguous', at }));
    case 'refuse':
      return before.flatMap((at) => refusals(at));
    case 'stale':
      return each(after, ground.watchedKinds, (at, kind) => ({
        fault: 'stale',
        at,
        kind,
        forMs: longerThanAReconcileMs,
      }));
    case 'unobserved':
      return each(after, ground.watchedKinds, (at, kind) => ({
        fault: 'unobserved',
        at,
        kind,
        forMs: longerThanAReconcileMs,
      }));
    case 'timeTravel':
      return each(after, ground.watchedKinds, (at, kind) => ({
        fault: 'timeTravel',
        at,
        kind,
        backMs: 10_000,
        forMs: longerThanAReconcileMs,
      }));
    case 'twoLeaders':
      return writes.map((at) => ({ fault: 'twoLeaders', at, pauseMs: longerThanALeaseMs }));
    case 'user':
      return each(after, ground.actions, (at, action) => ({ fault: 'user', at, action }));
    case 'mistake':
      return each(after, ground.mistakes, (at, mistake) => ({
        fault: 'mistake',
        at,
        mistake,
        forMs: longerThanADeadlineMs,
      }));
    case 'pod':
      return each(after, ['crash', 'delete', 'kill'] as const, (at, how) => ({ fault: 'pod', at, how }));
    case 'node':
      return each(after, ['power', 'partition'] as const, (at, how) => ({ fault: 'node', at, how, forMs: nodeLossMs }));
    case 'outage':
      return each(
        externals.filter(({ when }) => when === 'before'),
        ['down', 'slow', 'hang'] as const,
        (at, how) => ({ fault: 'outage', at, how, forMs: longerThanABackoffMs }),
      );
    case 'clock':
      return each(after, [-3_600_000, 3_600_000], (at, byMs) => ({ fault: 'clock', at, byMs }));
    case 'permission':
      return each(
        writes.filter(({ when }) => when === 'before'),
        ground.writtenKinds,
        (at, kind) => ({ fault: 'permission', at, kind, forMs: longerThanABackoffMs }),
      );
    case 'restore':
      return each(after, restoredMs, (at, backMs) => ({
        fault: 'restore',
        at,
        backMs,
        repeatAfterMs: longerThanAReconcileMs,
      }));
    case 'oldVersion':
      return ground.hasOlderVersion
        ? writes.map((at) => ({ fault: 'oldVersion', at, forMs: longerThanABackoffMs }))
        : [];
  }
}

function refusals(at: FaultPoint): readonly Fault[] {
  const codes = 'write' in at ? ([403, 409, 429, 500] as const) : ([404, 429, 500] as const);
  return codes.map((code) => ({ fault: 'refuse', at, code }));
}

function pointsOf(counter: 'write' | 'external', count: number): readonly FaultPoint[] {
  const points: FaultPoint[] = [];
  for (let number = 1; number <= count; number += 1) {
    for (const when of ['before', 'after'] as const)
      points.push(counter === 'write' ? { when, write: number } : { when, external: number });
  }
  return points;
}

function each<T>(
  points: readonly FaultPoint[],
  choices: readonly T[],
  make: (at: FaultPoint, choice: T) => Fault,
): readonly Fault[] {
  return points.flatMap((at) => choices.map((choice) => make(at, choice)));
}
