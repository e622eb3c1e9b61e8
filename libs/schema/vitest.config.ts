import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

// Rules that use up the whole budget of an object take a second alone, and more on a busy machine: what hangs is found all the same.
export default defineConfig({ ...shared, test: { ...shared.test, testTimeout: 30_000 } });
