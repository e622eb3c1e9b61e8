import { chmodSync } from 'node:fs';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';
import { buildPage } from './page/build.ts';

/** The console's page, built, in place of the module that builds it. */
const builtPage: Plugin = {
  name: 'built page',
  setup: ({ onLoad }) =>
    onLoad({ filter: /src\/console\/page\.ts$/ }, async () => ({
      contents: `const files = ${JSON.stringify(await buildPage())}; export const pageFiles = () => Promise.resolve(files);`,
      loader: 'js',
    })),
};

/** Makes the plugin as one file, with source map. */
export async function bundlePlugin(outfile: string, plugins: readonly Plugin[] = []): Promise<void> {
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
    plugins: [builtPage, ...plugins],
    // CommonJS dependencies call require for Node's own modules.
    banner: {
      js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url);",
    },
  });
  chmodSync(outfile, 0o755);
}
