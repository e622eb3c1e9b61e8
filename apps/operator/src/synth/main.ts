// The cdk8s app of `npm run synth` (cdk8s.yaml): install.yaml, and monitoring.yaml for clusters with the Prometheus operator's definitions, from the constructs.
import { OperatorInstall } from '@ordinal/constructs';
import { ApiObject, App, Chart } from 'cdk8s';

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
