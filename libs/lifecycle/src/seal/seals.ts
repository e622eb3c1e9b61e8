import type { SealedItem, SealKey, SealSubject } from './seal.ts';
import { seal, verifySeal } from './seal.ts';

/** The keys of an installation, and what goes with them. */
export interface Seals {
  /** The first one seals, all of them verify. */
  readonly keys: () => readonly SealKey[];
  /** Looks whether there are other keys by now. Called before a status is given up. */
  readonly renew?: () => Promise<void>;
  /** Counts a status of this kind that could not be believed. */
  readonly mistrusted?: (kind: string) => void;
}

/** Seals what is remembered of one object. Pure for as long as the keys are the same. */
export interface Sealer {
  sign(item: SealedItem): string;
  holds(item: SealedItem, seal: string | undefined): boolean;
}

/** The sealer of an object. */
export function sealerOf({ keys }: Seals, subject: SealSubject): Sealer {
  return {
    sign(item) {
      const [first] = keys();
      if (first === undefined) throw new Error('the key that seals what the operator remembers is not there yet');
      return seal(first, subject, item);
    },
    holds: (item, given) => verifySeal(keys(), subject, { ...item, seal: given }),
  };
}
