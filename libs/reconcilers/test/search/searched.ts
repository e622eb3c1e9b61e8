import type { FaultName, Invariant, Scenario } from '@ordinal/testing';

/** A scenario and what must hold in it. */
export interface Searched {
  readonly scenario: Scenario;
  /** Beside those that hold for any operator. */
  readonly oracles: readonly Invariant[];
  /** The classes of faults that it is searched with. */
  readonly faults: readonly FaultName[];
  /** Faults under which objects may come and go otherwise than without them. A clock that jumps moves the deadline, and with it how far an upgrade gets. */
  readonly livesVary?: readonly FaultName[];
}

/** What a search that compares lives can do with it: the faults under which lives vary are searched apart. */
export function comparable({ scenario, oracles, faults, livesVary = [] }: Searched): Omit<Searched, 'livesVary'> {
  return { scenario, oracles, faults: faults.filter((name) => !livesVary.includes(name)) };
}
