import { OperatorInstall } from '@ordinal/constructs';
import { App, Yaml } from 'cdk8s';
import { stringify } from 'yaml';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A base for kustomize: the manifests of `install.yaml`, in two files, and the monitoring as a component. By their paths in the folder. */
export function kustomizeFiles(): Readonly<Record<string, string>> {
  // What cdk8s makes is declared as any[].
  const all = new OperatorInstall(new App(), 'all', { monitoring: true }).toJson() as readonly Manifest[];
  const isDefinition = ({ kind }: Manifest): boolean => kind === 'CustomResourceDefinition';
  const isMonitoring = ({ apiVersion }: Manifest): boolean => apiVersion.startsWith('monitoring.coreos.com/');
  const apiVersion = 'kustomize.config.k8s.io';
  return {
    'base/kustomization.yaml': stringify({
      apiVersion: `${apiVersion}/v1beta1`,
      kind: 'Kustomization',
      resources: ['definitions.yaml', 'operator.yaml'],
    }),
    'base/definitions.yaml': Yaml.stringify(...all.filter(isDefinition)),
    'base/operator.yaml': Yaml.stringify(...all.filter((each) => !isDefinition(each) && !isMonitoring(each))),
    'monitoring/kustomization.yaml': stringify({
      apiVersion: `${apiVersion}/v1alpha1`,
      kind: 'Component',
      resources: ['monitoring.yaml'],
    }),
    'monitoring/monitoring.yaml': Yaml.stringify(...all.filter(isMonitoring)),
  };
}
