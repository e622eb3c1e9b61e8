import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const kube = join(import.meta.dirname, '../cluster/kube');

/** A version of Kubernetes that `tools/cluster` builds. */
export interface ClusterVersion {
  readonly minor: string;
  /** The patch release. */
  readonly release: string;
  /** The folder in the user's cache that has its components. */
  readonly folder: string;
}

/** The versions that `tools/cluster` builds, the oldest first: it has a module file for each, and `go.mod` is the default's. */
export const clusterVersions: readonly ClusterVersion[] = readdirSync(kube)
  .filter((name) => name.endsWith('.mod'))
  .map((name) => {
    const [, release = '', minor = ''] =
      /^require k8s\.io\/kubernetes v((\d+\.\d+)\.\d+)$/m.exec(readFileSync(join(kube, name), 'utf8')) ?? [];
    return { minor, release, folder: name === 'go.mod' ? 'ordinal-cluster' : `ordinal-cluster-${minor}` };
  })
  .sort((one, other) => one.minor.localeCompare(other.minor, 'en', { numeric: true }));
