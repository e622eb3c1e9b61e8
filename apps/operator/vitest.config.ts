import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

// Without `module`: the AWS SDK's files behind that condition are for bundlers, and Node can't read them.
const conditions = ['ordinal-source', 'node', 'development|production'];

export default defineConfig({ ...shared, resolve: { conditions }, ssr: { resolve: { conditions } } });
