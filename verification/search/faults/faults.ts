import type { Fault, FaultName } from '@ordinal/explorer';
import { defaultFaults } from '@ordinal/explorer';

/** The classes of faults that scenarios are searched with: all that there are. */
export const everyFault: readonly FaultName[] = [
  ...defaultFaults,
  'twoLeaders',
  'timeTravel',
  'node',
  'oldVersion',
  'restore',
];

/** All but these. */
export const everyFaultBut = (...excluded: readonly FaultName[]): readonly FaultName[] =>
  everyFault.filter((name) => !excluded.includes(name));

/** How long a leader that is deposed goes on at most, in milliseconds: until its lease has to be renewed (`renewDeadlineMs` of an election by default). */
const renewDeadlineMs = 10_000;

/** Faults that two leaders never agree about: what one of them does, the other undoes. Election is there to prevent it. */
const neverAgreed: ReadonlySet<FaultName> = new Set(['oldVersion', 'clock']);

/**
 * These faults, as they come together in one history. Alone a second leader stays forever. With another version of the operator, or with a clock that is
 * an hour from the other's so that they differ about each deadline, it stays as long as an election lets it. The older version may begin, and be no longer suspended, while
 * the second leader acts: from the first time of both to the last it is no longer than that, too.
 */
export function together(faults: readonly Fault[]): readonly Fault[] {
  if (!faults.some(({ fault }) => neverAgreed.has(fault))) return faults;
  const both = renewDeadlineMs / 2;
  const hasOlder = faults.some(({ fault }) => fault === 'oldVersion');
  const times = hasOlder ? { pauseMs: both, deposedMs: both } : { deposedMs: renewDeadlineMs };
  return faults.map((fault) => (fault.fault === 'twoLeaders' ? { ...fault, ...times } : fault));
}
