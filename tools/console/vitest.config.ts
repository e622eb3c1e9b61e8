import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

// A browser, and a cluster that lives through an upgrade.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    root: import.meta.dirname,
    include: ['*.test.ts'],
    // A busy machine takes its time to draw.
    expect: { poll: { timeout: 60_000, interval: 100 } },
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
