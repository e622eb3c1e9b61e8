import type { Pod } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';

/** What is read of a resource that says which version its members run. */
interface Versioned {
  readonly status?: { readonly currentVersion?: string };
}

/** The members of a resource, by its name, and whether one runs a version. */
interface Members {
  readonly of: (cluster: TestCluster, name: string) => readonly Pod[];
  readonly runs: (image: string | undefined, version: string) => boolean;
}

/** What a status says of the version that runs is true when it is said. */
export function currentVersionIsTrue(kind: string, { of, runs }: Members): Invariant {
  return {
    name: 'currentVersion moves only when every member runs it (S0.7)',
    afterChange: (cluster, change) => {
      if (change.kind !== kind || change.type !== 'MODIFIED') return undefined;
      const [now, before] = [change.object as Versioned, change.previous as Versioned | undefined]; // Of this kind.
      const version = now.status?.currentVersion;
      if (version === undefined || version === before?.status?.currentVersion) return undefined;
      const others = of(cluster, change.object.metadata.name).filter(
        ({ spec }) => !runs(spec.containers[0]?.image, version),
      );
      return others.length === 0
        ? undefined
        : `currentVersion became ${version} while ${others.map(({ metadata }) => metadata.name).join(', ')} ran something else`;
    },
  };
}
