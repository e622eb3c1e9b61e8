// The second half of `npm run synth`: dist/install.yaml from the constructs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorInstall } from '@ordinal/constructs';
import { App, Yaml } from 'cdk8s';

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'dist');
const manifests = new OperatorInstall(new App(), 'ordinal').toJson() as object[]; // Declared as any[].
const text = Yaml.stringify(...manifests);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'install.yaml'), text);
process.stdout.write(`dist/install.yaml: ${manifests.length} objects, ${(text.length / 1e6).toFixed(1)} MB\n`);
