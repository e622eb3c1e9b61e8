import type { SectionMutations } from '../mutation.ts';
import { attacks } from './attacks.ts';
import { bestPractices } from './best-practices.ts';
import { beyond } from './beyond.ts';
import { cloudDatabase } from './cloud-database.ts';
import { clusteredCache } from './clustered-cache.ts';
import { commands } from './commands.ts';
import { invariants } from './invariants.ts';
import { kvStoreCluster } from './kv-store-cluster.ts';
import { monitoredStatefulSet } from './monitored-stateful-set.ts';

/** The mutations of every section of docs/evidence/requirements.md. */
export const sections: readonly SectionMutations[] = [
  clusteredCache,
  kvStoreCluster,
  monitoredStatefulSet,
  cloudDatabase,
  bestPractices,
  beyond,
  commands,
  invariants,
  attacks,
];
