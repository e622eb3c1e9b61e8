import { OperatorInstall, type OperatorInstallOptions } from '@ordinal/constructs';
import { App } from 'cdk8s';

/** A manifest of Kubernetes. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** All manifests of an installation. What cdk8s makes is declared as any[]. */
export const manifestsOf = (options: OperatorInstallOptions): readonly Manifest[] =>
  new OperatorInstall(new App(), 'all', options).toJson() as readonly Manifest[];

/** The manifests that need the Prometheus operator. */
export const monitoringManifests = (): readonly Manifest[] =>
  manifestsOf({ crds: false, monitoring: true }).filter(({ apiVersion }) =>
    apiVersion.startsWith('monitoring.coreos.com/'),
  );

/** The dashboards for Grafana's sidecar. */
export const dashboardManifests = (): readonly Manifest[] =>
  manifestsOf({ crds: false, dashboards: true }).filter(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.includes('-dashboard-'),
  );
