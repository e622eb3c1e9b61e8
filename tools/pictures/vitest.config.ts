import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

// A scene plays an upgrade, and what-if many more of them.
export default defineConfig({
  ...shared,
  test: { ...shared.test, root: import.meta.dirname, include: ['*.test.ts'], testTimeout: 240_000 },
});
