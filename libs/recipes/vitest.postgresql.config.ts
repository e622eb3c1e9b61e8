import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

/** The scripts of PostgreSQL with real servers, which take longer than each run of all tests has. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ['test/postgresql/scripts.test.ts'] },
});
