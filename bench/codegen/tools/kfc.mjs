import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { measure } from '../measure.mjs';

// The package's entry does not export its generator: this is the module that its own command calls.
const entry = new URL('../node_modules/kubernetes-fluent-client/dist/generate.js', import.meta.url);
const { generate } = await import(pathToFileURL(entry.pathname).href);

await measure(async ({ path, file }, out) => {
  await generate({
    source: path,
    directory: join(out, file.replace(/\.yaml$/, '')),
    language: 'ts',
    logFn: () => undefined,
  });
});
