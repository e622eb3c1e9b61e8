import { cloudDatabaseKind } from './cloud-database/kind.ts';
import { clusteredCacheKind } from './clustered-cache/kind.ts';
import type { Kind } from './kind.ts';
import { kvStoreClusterKind } from './kv-store-cluster/kind.ts';
import { monitoredStatefulSetKind } from './monitored-stateful-set/kind.ts';

/** The kinds that the operator keeps. */
export const kinds: readonly Kind[] = [
  clusteredCacheKind,
  kvStoreClusterKind,
  monitoredStatefulSetKind,
  cloudDatabaseKind,
];
