// `npm run bundle`: the operator as one file, with source map. What reads kubeconfigs is a file of its own beside it, larger than all the rest: in a pod it is
// never loaded, so the image goes without it.
//
//   --out=FOLDER    where to, instead of dist
//   --version=V     what the program says of itself, instead of the package's version
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, type BuildOptions, type Plugin } from 'esbuild';

const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' }, version: { type: 'string' } } });
const out = resolve(import.meta.dirname, values.out);

const common: BuildOptions = {
  absWorkingDir: import.meta.dirname,
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
  // CommonJS dependencies call require for Node's own modules.
  banner: {
    js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url);",
  },
  // Optional native accelerators of dependencies, absent on purpose.
  external: ['pg-native', 'cloudflare:sockets'],
};

const undiciInPart: Plugin = {
  name: 'undici-in-part',
  setup({ onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: join(import.meta.dirname, 'bundle', 'undici.js') }));
  },
};

const givenVersion: Plugin = {
  name: 'given-version',
  setup({ onLoad }) {
    const { version } = values;
    if (version !== undefined)
      onLoad({ filter: /\/src\/version\.ts$/ }, () => ({
        contents: `export const version = ${JSON.stringify(version)};`,
      }));
  },
};

const kubeconfigApart: Plugin = {
  name: 'kubeconfig-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^@ordinal\/client\/kubeconfig$/ }, () => ({ path: './kubeconfig.mjs', external: true }));
  },
};

for (const [name, options] of Object.entries({
  'ordinal-operator.mjs': { entryPoints: ['src/main.ts'], plugins: [kubeconfigApart, undiciInPart, givenVersion] },
  'kubeconfig.mjs': { entryPoints: ['src/kubeconfig.ts'] },
})) {
  const outfile = join(out, name);
  await build({ ...common, ...options, outfile });
  console.log(`${outfile}: ${(statSync(outfile).size / 1e6).toFixed(2)} MB`);
}
