#!/usr/bin/env -S node --max-semi-space-size=2 --no-maglev
/* `ordinal-simulate`. This file is there before anything is built: npm links no program that is not. */
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';

// The package as it is published has no tsconfig.json. In the project's workspace the sources run as they stand, built or not.
if (existsSync(new URL('../tsconfig.json', import.meta.url))) {
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, 'ordinal-source'] }),
  });
  await import('../src/http/simulate.ts');
} else {
  await import('../dist/http/simulate.js');
}
