import type { Fault, FaultName } from '@ordinal/testing';
import { defaultFaults } from '@ordinal/testing';

/** The classes of faults that scenarios are searched with: all that there are. */
export const everyFault: readonly FaultName[] = [...defaultFaults, 'twoLeaders', 'timeTravel', 'node', 'oldVersion'];

/** All but these. */
export const everyFaultBut = (...excluded: readonly FaultName[]): readonly FaultName[] =>
  everyFault.filter((name) => !excluded.includes(name));

/**
 * Those of these faults that make sense in one history, the first of two that do not. With a second leader, the older operator would be another version that
 * writes at the same time for minutes: each puts back what the other has done, and election is there to prevent it.
 */
export function together(faults: readonly Fault[]): readonly Fault[] {
  const names = new Set(faults.map(({ fault }) => fault));
  return names.has('twoLeaders') && names.has('oldVersion') ? faults.slice(0, 1) : faults;
}
