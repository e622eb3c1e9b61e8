import type { World } from '../world.ts';
import { clusteredCacheScenarios } from './clustered-cache.ts';
import { lifecycleScenarios } from './lifecycle.ts';
import { externalScenarios } from './external.ts';
import { kvStoreClusterScenario } from './kv-store-cluster.ts';

/** Every scenario by name, in the order that they run. */
export const scenarios: Readonly<Record<string, (world: World) => Promise<void>>> = {
  cache: clusteredCacheScenarios,
  store: kvStoreClusterScenario,
  external: externalScenarios,
  lifecycle: lifecycleScenarios,
};
