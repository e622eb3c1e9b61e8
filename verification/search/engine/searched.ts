import type { FaultName, Invariant, Scenario } from '@ordinal/explorer';

/** A scenario and what must hold in it. */
export interface Searched {
  readonly scenario: Scenario;
  /** Beside those that hold for any operator. */
  readonly oracles: readonly Invariant[];
  /** The classes of faults that it is searched with. */
  readonly faults: readonly FaultName[];
  /** Faults under which objects may come and go otherwise than without them. What a clock takes past its deadline is not one: a comparison of lives knows it (`Scenario.givesUp`). */
  readonly livesVary?: readonly FaultName[];
}

/** The classes that the share of every test run searches apart, each fault alone: those under which lives vary, and two leaders, which do not go with all others. */
export function apart({ faults, livesVary = [] }: Searched): readonly FaultName[] {
  return faults.filter((name) => name === 'twoLeaders' || livesVary.includes(name));
}

/** What is searched by itself and in pairs. */
export function inPairs(searched: Searched): Omit<Searched, 'livesVary'> {
  const { scenario, oracles, faults } = searched;
  const others = apart(searched);
  return { scenario, oracles, faults: faults.filter((name) => !others.includes(name)) };
}
