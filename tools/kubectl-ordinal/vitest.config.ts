import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

// The first test of a file loads the simulated cluster, the operator and the API's schemas: on a busy machine half a minute.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: [...(shared.test?.include ?? []), 'page/**/*.test.ts'],
    testTimeout: 120_000,
  },
});
