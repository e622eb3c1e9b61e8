import { createRequire } from 'node:module';
import { join } from 'node:path';
import { measure } from '../measure.mjs';

const { generate } = createRequire(import.meta.url)('@kubernetes-models/crd-generate');

await measure(async ({ text, file }, out) => {
  await generate({ input: text, outputPath: join(out, file.replace(/\.yaml$/, '')) });
});
