import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ClusterProgram } from './cluster-program.ts';

/** Why nothing can be run here; undefined where it can. */
export function obstacle(cluster: ClusterProgram): string | undefined {
  if (process.getuid?.() !== 0) return 'a node needs root';
  const onPath = (process.env['PATH'] ?? '').split(delimiter).some((place) => existsSync(join(place, 'go')));
  if (!cluster.isBuilt && !onPath) return 'the cluster is not built yet, and there is no Go to build it with';
  return undefined;
}
