// `npm run bundle`: the plugin as one file, with source map.
//
//   --out=FOLDER    where to, instead of dist
import { chmodSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';
import { buildPage } from './page/build.ts';

const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } });
const outfile = join(resolve(import.meta.dirname, values.out), 'kubectl-ordinal.mjs');

/** The console's page, built, in place of the module that builds it. */
const builtPage: Plugin = {
  name: 'built page',
  setup: ({ onLoad }) =>
    onLoad({ filter: /src\/console\/page\.ts$/ }, async () => ({
      contents: `const files = ${JSON.stringify(await buildPage())}; export const pageFiles = () => Promise.resolve(files);`,
      loader: 'js',
    })),
};

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['src/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node22.19',
  format: 'esm',
  conditions: ['ordinal-source'],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  sourcemap: 'linked',
  sourcesContent: false,
  plugins: [builtPage],
  // CommonJS dependencies call require for Node's own modules.
  banner: {
    js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url);",
  },
});
chmodSync(outfile, 0o755);
console.log(`${outfile}: ${(statSync(outfile).size / 1e6).toFixed(2)} MB`);
