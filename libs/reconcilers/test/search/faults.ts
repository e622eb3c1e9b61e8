import type { FaultName } from '@ordinal/testing';
import { defaultFaults } from '@ordinal/testing';

/** Every class of faults that there is. A scenario that leaves one out says why. */
export const everyFault: readonly FaultName[] = [...defaultFaults, 'timeTravel', 'twoLeaders', 'node', 'oldVersion'];

/** All but these. */
export const everyFaultBut = (...excluded: readonly FaultName[]): readonly FaultName[] =>
  everyFault.filter((name) => !excluded.includes(name));
