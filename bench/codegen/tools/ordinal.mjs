import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { measure } from '../measure.mjs';
import { generate } from '../../../tools/codegen/src/index.ts';

function write(sources, out) {
  for (const generated of generate(sources)) {
    mkdirSync(dirname(join(out, generated.path)), { recursive: true });
    writeFileSync(join(out, generated.path), generated.text);
  }
}

const sources = [];
let folder = '';
// Each CRD by itself, as the peers are called, and everything: types, clients, constructs and validators.
await measure(({ file, text }, out) => {
  sources.push({ file, text });
  folder = out;
  write([{ file, text }], `${out}-single`);
});
// What is compiled comes from one call with the whole folder, as the command makes it: kinds of a group share what they have in common.
write(sources, folder);
