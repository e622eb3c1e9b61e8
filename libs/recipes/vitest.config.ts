import { configDefaults, defineConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

export default defineConfig({
  ...shared,
  // Seven minutes with real servers: `npm run test:postgresql`.
  test: { ...shared.test, exclude: [...configDefaults.exclude, 'test/postgresql/scripts.test.ts'] },
});
