import { Yaml } from 'cdk8s';
import { stringify } from 'yaml';
import { dashboardManifests, manifestsOf, monitoringManifests, type Manifest } from './parts.ts';

const apiVersion = 'kustomize.config.k8s.io';

/** A base for kustomize: the manifests of `install.yaml`, in two files, and the monitoring and the dashboards as components. By their paths in the folder. */
export function kustomizeFiles(): Readonly<Record<string, string>> {
  const all = manifestsOf({});
  const isDefinition = ({ kind }: Manifest): boolean => kind === 'CustomResourceDefinition';
  return {
    'base/kustomization.yaml': stringify({
      apiVersion: `${apiVersion}/v1beta1`,
      kind: 'Kustomization',
      resources: ['definitions.yaml', 'operator.yaml'],
    }),
    'base/definitions.yaml': Yaml.stringify(...all.filter(isDefinition)),
    'base/operator.yaml': Yaml.stringify(...all.filter((each) => !isDefinition(each))),
    ...component('monitoring', monitoringManifests()),
    ...component('dashboards', dashboardManifests()),
  };
}

const component = (name: string, manifests: readonly Manifest[]): Readonly<Record<string, string>> => ({
  [`${name}/kustomization.yaml`]: stringify({
    apiVersion: `${apiVersion}/v1alpha1`,
    kind: 'Component',
    resources: [`${name}.yaml`],
  }),
  [`${name}/${name}.yaml`]: Yaml.stringify(...manifests),
});
