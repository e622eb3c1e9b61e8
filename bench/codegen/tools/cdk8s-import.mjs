import { createRequire } from 'node:module';
import { join } from 'node:path';
import { measure } from '../measure.mjs';

const require = createRequire(import.meta.url);
// The package exports its command only: this is the module that `cdk8s import` calls for a CRD.
const { ImportCustomResourceDefinition } = require('../node_modules/cdk8s-cli/lib/import/crd.js');

await measure(async ({ path, file }, out) => {
  const importer = await ImportCustomResourceDefinition.fromSpec({ source: path });
  await importer.import({ targetLanguage: 'typescript', outdir: join(out, file.replace(/\.yaml$/, '')) });
});
