import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** What of the environment matters: give `process.env`, or what a test wants it to be. */
export interface ControlPlaneEnvironment {
  readonly KUBEBUILDER_ASSETS?: string | undefined;
  readonly PATH?: string | undefined;
  readonly HOME?: string | undefined;
  readonly XDG_CACHE_HOME?: string | undefined;
  readonly CLUSTER_HOME?: string | undefined;
  /** The minor version, `1.36` or `1.37`; that of the project's cluster by default, 1.36. */
  readonly CLUSTER_KUBERNETES?: string | undefined;
}

/** Where the components of a control plane come from. */
export type ControlPlaneSource = 'KUBEBUILDER_ASSETS' | 'PATH' | 'built cluster' | 'build with Go';

/** Components that were found, and why those were taken. */
export interface LocatedComponents {
  readonly source: ControlPlaneSource;
  readonly etcd: string;
  readonly apiServer: string;
  /** Absent where only the API server and etcd are there, as in envtest's archives. */
  readonly controllerManager?: string;
}

/** Where components were looked for, and that they can be built. */
export type Located = LocatedComponents | { readonly missing: string; readonly canBuild: boolean };

/** Whether a file is there and can be executed. */
export type IsExecutable = (path: string) => boolean;

/** Whether this machine has such a file. */
export const isExecutable: IsExecutable = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The directory that `npm run cluster -- build` keeps the components in: one for each minor version. */
export function builtDirectory(environment: ControlPlaneEnvironment): string {
  const { XDG_CACHE_HOME, HOME = '', CLUSTER_HOME, CLUSTER_KUBERNETES = '1.36' } = environment;
  const name = CLUSTER_KUBERNETES === '1.36' ? 'ordinal-cluster' : `ordinal-cluster-${CLUSTER_KUBERNETES}`;
  return join(CLUSTER_HOME ?? join(XDG_CACHE_HOME ?? join(HOME, '.cache'), name), 'bin');
}

/** Finds etcd and kube-apiserver: in `KUBEBUILDER_ASSETS`, on the PATH, or where the project's cluster was built. */
export function locateControlPlane(environment: ControlPlaneEnvironment, has: IsExecutable = isExecutable): Located {
  const assets = environment.KUBEBUILDER_ASSETS;
  if (assets !== undefined && assets !== '') {
    const found = componentsIn(assets, 'KUBEBUILDER_ASSETS', has);
    // A caller that names a directory wants no other.
    return (
      found ?? {
        missing: `KUBEBUILDER_ASSETS is ${assets}, and there is no etcd with a kube-apiserver in it`,
        canBuild: false,
      }
    );
  }
  const onPath = onThePath('kube-apiserver', environment, has);
  const beside = onPath === undefined ? undefined : dirname(onPath);
  const etcd = onThePath('etcd', environment, has);
  if (onPath !== undefined && etcd !== undefined && beside !== undefined) {
    const manager = onThePath('kube-controller-manager', environment, has);
    return { source: 'PATH', etcd, apiServer: onPath, ...(manager !== undefined && { controllerManager: manager }) };
  }
  const built = componentsIn(builtDirectory(environment), 'built cluster', has);
  if (built !== undefined) return built;
  const canBuild = onThePath('go', environment, has) !== undefined;
  const how = canBuild ? 'they can be built with Go: npm run cluster -- build' : 'and no Go to build them with';
  return {
    missing: `no etcd and kube-apiserver: KUBEBUILDER_ASSETS is not set, they are not on the PATH and not in ${builtDirectory(environment)}; ${how}`,
    canBuild,
  };
}

function componentsIn(directory: string, source: ControlPlaneSource, has: IsExecutable): LocatedComponents | undefined {
  const [etcd, apiServer, manager] = ['etcd', 'kube-apiserver', 'kube-controller-manager'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  if (!has(etcd) || !has(apiServer)) return undefined;
  return { source, etcd, apiServer, ...(has(manager) && { controllerManager: manager }) };
}

function onThePath(program: string, environment: ControlPlaneEnvironment, has: IsExecutable): string | undefined {
  const directories = (environment.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  return directories.map((directory) => join(directory, program)).find(has);
}
