import type { KVStoreClusterStatus } from '@ordinal/api';

/** What an upgrade's record in the status holds. */
export type UpgradeRecord = NonNullable<KVStoreClusterStatus['upgrade']>;

/** What of single members stands in the status. */
export interface Remembered {
  /** The UID of the member whose hand-off is done. */
  readonly handedOff?: string;
  /** Whose replacements have not said yet that they have caught up. */
  readonly catchingUp?: NonNullable<KVStoreClusterStatus['catchingUp']>;
}

/** What of single members stands in the status of a cluster. */
export function rememberedIn({ upgrade, ...status }: KVStoreClusterStatus = {}): Remembered {
  const handedOff = upgrade?.handedOff ?? status.handedOff;
  const catchingUp = upgrade?.catchingUp ?? status.catchingUp;
  return { ...(handedOff === undefined ? {} : { handedOff }), ...(catchingUp === undefined ? {} : { catchingUp }) };
}
