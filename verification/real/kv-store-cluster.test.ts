import { vi } from 'vitest';
import { kvStoreScenarios } from '../search/kv-store-cluster/scenarios.ts';
import { comparedOnARealPlane } from './compared.ts';

// Before the first one, Kubernetes may have to be built.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 1_200_000 });

comparedOnARealPlane('KVStoreCluster', kvStoreScenarios);
