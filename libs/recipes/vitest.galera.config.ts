import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

/** The scripts of Galera with real servers, which take longer than each run of all tests has. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ['test/galera/scripts.test.ts'] },
});
