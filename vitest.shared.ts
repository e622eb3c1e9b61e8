import type { ViteUserConfig } from 'vitest/config';

/** What every package's tests share: workspace packages are read from their sources, so no build comes before a test. */
export const shared: ViteUserConfig = {
  resolve: { conditions: ['ordinal-source', 'module', 'node', 'development|production'] },
  ssr: { resolve: { conditions: ['ordinal-source', 'module', 'node', 'development|production'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    // No test measures time by its limit: the longest takes some seconds alone, and twenty times as long on a busy machine. What hangs is found all the same.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default'],
    typecheck: { enabled: false },
  },
};
