import { vi } from 'vitest';
import { cacheScenarios } from '../clustered-cache/scenarios.ts';
import { comparedOnARealPlane } from './compared.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

await comparedOnARealPlane('ClusteredCache', cacheScenarios);
