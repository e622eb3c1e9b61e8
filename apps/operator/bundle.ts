// `npm run bundle`: the operator as one file, with source map.
import { build } from 'esbuild';

const result = await build({
  entryPoints: ['src/main.ts'],
  outfile: 'dist/ordinal-operator.mjs',
  absWorkingDir: import.meta.dirname,
  bundle: true,
  platform: 'node',
  target: 'node22.19',
  format: 'esm',
  conditions: ['ordinal-source'],
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: true,
  legalComments: 'linked',
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  // CommonJS dependencies call require for Node's own modules.
  banner: {
    js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url);",
  },
  // Optional native accelerators of dependencies, absent on purpose.
  external: ['pg-native', 'cloudflare:sockets'],
});
const bytes = Object.values(result.metafile.outputs).find((output) => output.entryPoint !== undefined)?.bytes ?? 0;
console.log(`dist/ordinal-operator.mjs: ${(bytes / 1e6).toFixed(2)} MB`);
