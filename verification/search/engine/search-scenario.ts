import { hash } from 'node:crypto';

/** What one history has shown, as far as a search counts it. */
export interface Trial {
  /** Whether every fault of it has struck. */
  readonly allFired: boolean;
  /** The same for histories in which the same things happened in the same order. */
  readonly trace: string;
  /** For each fault that struck: its class, and the state and point at which it did. */
  readonly met: readonly { readonly group: string; readonly at: string }[];
  /** The history in words, with all that was wrong; absent where nothing was. */
  readonly failure?: Reported;
}

/** A history in which something was wrong. */
export interface Reported {
  /** What was broken first: failures that share it, in the same scenario, are one. */
  readonly oracle: string;
  readonly text: string;
}

/** A history to run: with which faults, and from which seed. */
export interface Plan {
  readonly faults: readonly number[];
  readonly seed: number;
}

/** The single faults of a scenario. A plan names them by their number, from 0. */
export interface Singles {
  readonly count: number;
  /** The numbers of those that a search tries before all others: the points at which the operator can crash. */
  readonly crashes: readonly number[];
}

/** A scenario whose faults are known. */
export interface ReadyScenario {
  readonly singles: Singles;
  /** What was wrong without any fault. */
  readonly failure?: Reported;
  run(plan: Plan): Promise<Trial>;
}

/** One way in which a scenario can be run. */
export interface SearchScenario {
  /** The kind of resource that it is about. */
  readonly kind: string;
  readonly name: string;
  /** Runs it once without faults, which shows where there can be any. */
  prepare(seed: number): Promise<ReadyScenario>;
}

/** Of all single faults of a scenario: how many there are, and which of them are crashes. */
export function singlesOf<T>(faults: readonly T[], isCrash: (fault: T) => boolean): Singles {
  return { count: faults.length, crashes: faults.flatMap((fault, number) => (isCrash(fault) ? [number] : [])) };
}

/** A text as 96 bits: what a ledger of millions of them can hold, and no two share by chance. */
export function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}
