import type { ClusteredCache } from '@ordinal/api';
import type { UpgradeFindings } from '../upgrade/record.ts';

/** What the status is made of. */
export interface Findings extends Omit<UpgradeFindings, 'object'> {
  readonly cache: ClusteredCache;
  /** The cache, as an object that is upgraded. */
  readonly object: ClusteredCache;
}
