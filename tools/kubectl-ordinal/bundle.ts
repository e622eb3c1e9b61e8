// `npm run bundle`: the plugin as one file, with source map.
//
//   --out=FOLDER    where to, instead of dist
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundlePlugin } from './bundle-plugin.ts';

const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } });
const outfile = join(resolve(import.meta.dirname, values.out), 'kubectl-ordinal.mjs');
await bundlePlugin(outfile);
console.log(`${outfile}: ${(statSync(outfile).size / 1e6).toFixed(2)} MB`);
