// The cdk8s app of `npm run synth` (cdk8s.yaml). From the constructs it makes install.yaml, monitoring.yaml for clusters with the Prometheus operator's definitions,
// dashboards.yaml for Grafana, the Helm chart and the kustomize base.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorInstall } from '@ordinal/constructs';
import { ApiObject, App, Chart } from 'cdk8s';
import { version } from '../version.ts';
import { chartArchive } from './chart/archive.ts';
import { chartFiles, chartName } from './chart/chart.ts';
import { kustomizeFiles } from './kustomize.ts';
import { dashboardManifests, monitoringManifests, type Manifest } from './parts.ts';

/** Parts of the installation in a file of their own: those of kinds that only another operator brings, for an apply fails where one kind is unknown, and dashboards. */
class Part extends Chart {
  constructor(scope: App, id: string, manifests: readonly Manifest[]) {
    super(scope, id);
    for (const manifest of manifests) new ApiObject(this, `${manifest.kind}-${manifest.metadata.name}`, manifest);
  }
}

const app = new App({ outputFileExtension: '.yaml' });
new OperatorInstall(app, 'install');
new Part(app, 'monitoring', monitoringManifests());
new Part(app, 'dashboards', dashboardManifests());
app.synth();

writeFileSync(join(app.outdir, `${chartName}-${version}.tgz`), await chartArchive(chartName, chartFiles()));
for (const [path, text] of Object.entries(kustomizeFiles())) {
  const file = join(app.outdir, 'kustomize', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
