// The second half of `npm run synth`: dist/install.yaml, and dist/monitoring.yaml for clusters with the Prometheus operator's definitions, from the constructs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorInstall } from '@ordinal/constructs';
import { App, Yaml } from 'cdk8s';

interface Manifest {
  readonly apiVersion: string;
}

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'dist');
// Declared as any[].
const manifests = new OperatorInstall(new App(), 'ordinal', { monitoring: true }).toJson() as readonly Manifest[];
/** The kinds that only the Prometheus operator brings: a file of their own, for an apply fails where one kind is unknown. */
const isMonitoring = ({ apiVersion }: Manifest): boolean => apiVersion.startsWith('monitoring.coreos.com/');

mkdirSync(folder, { recursive: true });
write(
  'install.yaml',
  manifests.filter((manifest) => !isMonitoring(manifest)),
);
write('monitoring.yaml', manifests.filter(isMonitoring));

function write(file: string, objects: readonly Manifest[]): void {
  const text = Yaml.stringify(...objects);
  writeFileSync(join(folder, file), text);
  process.stdout.write(`dist/${file}: ${objects.length} objects, ${Math.ceil(text.length / 1024)} KiB\n`);
}
