import type { KVStoreClusterStatus } from '@ordinal/api';

/** What an upgrade's record in the status holds. */
export type UpgradeRecord = NonNullable<KVStoreClusterStatus['upgrade']>;
