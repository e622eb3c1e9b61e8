import { vi } from 'vitest';
import { cacheScenarios, laterCacheScenarios } from '../search/clustered-cache/scenarios.ts';
import { comparedOnARealPlane } from './compared.ts';

// Before the first one, Kubernetes may have to be built.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 1_200_000 });

comparedOnARealPlane('ClusteredCache', [...cacheScenarios, ...laterCacheScenarios]);
