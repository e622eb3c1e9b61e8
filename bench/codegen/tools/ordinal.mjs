import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { measure } from '../measure.mjs';
import { generate } from '../../../tools/codegen/src/index.ts';

// Each CRD by itself, as the peers are called, and everything: types, clients, constructs and validators.
await measure(({ file, text }, out) => {
  for (const generated of generate([{ file, text }])) {
    mkdirSync(dirname(join(out, generated.path)), { recursive: true });
    writeFileSync(join(out, generated.path), generated.text);
  }
});
