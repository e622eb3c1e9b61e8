import { vi } from 'vitest';
import { kvStoreScenarios } from '../kv-store-cluster/scenarios.ts';
import { comparedOnARealPlane } from './compared.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

await comparedOnARealPlane('KVStoreCluster', kvStoreScenarios);
