// `npm run bundle`: the operator as one file, with source map. What reads kubeconfigs is a file of its own beside it, larger than all the rest: in a pod it is
// never loaded, so the image goes without it.
import { join } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';

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

const kubeconfigApart: Plugin = {
  name: 'kubeconfig-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^@ordinal\/client\/kubeconfig$/ }, () => ({ path: './kubeconfig.mjs', external: true }));
  },
};

for (const options of [
  { entryPoints: ['src/main.ts'], outfile: 'dist/ordinal-operator.mjs', plugins: [kubeconfigApart, undiciInPart] },
  { entryPoints: ['src/kubeconfig.ts'], outfile: 'dist/kubeconfig.mjs' },
]) {
  const { metafile } = await build({ ...common, ...options, metafile: true });
  const bytes = metafile.outputs[options.outfile]?.bytes ?? 0;
  console.log(`${options.outfile}: ${(bytes / 1e6).toFixed(2)} MB`);
}
