import type { FaultName } from '@ordinal/testing';
import { defaultFaults } from '@ordinal/testing';

/**
 * The classes of faults that scenarios are searched with. Two leaders are not among them: in a pair with an older operator they would be two versions that
 * write at the same time for minutes.
 */
export const everyFault: readonly FaultName[] = [...defaultFaults, 'timeTravel', 'node', 'oldVersion'];

/** All but these. */
export const everyFaultBut = (...excluded: readonly FaultName[]): readonly FaultName[] =>
  everyFault.filter((name) => !excluded.includes(name));
