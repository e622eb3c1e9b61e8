// The cdk8s app of `npm run synth` (cdk8s.yaml). From the constructs it makes install.yaml, monitoring.yaml for clusters with the Prometheus operator's definitions,
// the Helm chart and the kustomize base.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorInstall } from '@ordinal/constructs';
import { ApiObject, App, Chart } from 'cdk8s';
import { version } from '../version.ts';
import { chartArchive } from './chart/archive.ts';
import { chartFiles, chartName } from './chart/chart.ts';
import { kustomizeFiles } from './kustomize.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The kinds that only the Prometheus operator brings: a chart of their own, so a file of their own, for an apply fails where one kind is unknown. */
class Monitoring extends Chart {
  constructor(scope: App, id: string) {
    super(scope, id);
    // Declared as any[].
    const manifests = new OperatorInstall(new App(), 'all', { monitoring: true }).toJson() as readonly Manifest[];
    for (const manifest of manifests)
      if (manifest.apiVersion.startsWith('monitoring.coreos.com/')) new ApiObject(this, manifest.kind, manifest);
  }
}

const app = new App({ outputFileExtension: '.yaml' });
new OperatorInstall(app, 'install');
new Monitoring(app, 'monitoring');
app.synth();

writeFileSync(join(app.outdir, `${chartName}-${version}.tgz`), await chartArchive(chartName, chartFiles()));
for (const [path, text] of Object.entries(kustomizeFiles())) {
  const file = join(app.outdir, 'kustomize', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
