import { configDefaults, defineConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

export default defineConfig({
  ...shared,
  // Minutes with real servers: `npm run test:postgresql`, `npm run test:galera`.
  test: { ...shared.test, exclude: [...configDefaults.exclude, 'test/{galera,postgresql}/scripts.test.ts'] },
});
