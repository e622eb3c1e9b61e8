import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

export default defineConfig({ ...shared, test: { ...shared.test, root: import.meta.dirname, include: ['*.test.ts'] } });
