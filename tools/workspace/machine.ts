/**
 * Prints what tests find on this machine: Nx takes it into the hash of a task, so that no result is remembered for a machine that has become another. What
 * is not there yet and tests would fetch is no stable answer: then each run's line differs, and nothing is remembered.
 */
import { readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { clusterVersions } from './cluster-versions.ts';
import { testPrograms } from './test-programs.ts';

/** What it depends on, beside files. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Different at each run. */
  readonly now: number;
}

/** By these a user asks tests for more. */
const requests = [
  'ORDINAL_REAL_HISTORIES',
  'LEADER_ROUNDS',
  'SERVER_CHANGES',
  'KUBEBUILDER_ASSETS',
  'CLUSTER_KUBERNETES',
  'RECIPE_STORE',
];

/** One line for the hash. */
export function machineOf({ environment, home, now }: Surroundings): string {
  const cache = environment['XDG_CACHE_HOME'] ?? join(home, '.cache');
  const onPath = (program: string): boolean =>
    (environment['PATH'] ?? '').split(delimiter).some((folder) => sizeOf(join(folder, program)) !== undefined);
  const hasMoto = onPath('moto_server') || sizeOf(join(cache, 'ordinal-moto/bin/moto_server')) !== undefined;
  const hasPromtool = onPath('promtool') || sizeOf(join(cache, 'ordinal-promtool/usr/bin/promtool')) !== undefined;
  return JSON.stringify({
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    isRoot: process.getuid?.() === 0,
    kubernetes: clusterVersions.map(({ folder }) =>
      filesIn(join(environment['CLUSTER_HOME'] ?? join(cache, folder), 'bin')),
    ),
    assets: filesIn(environment['KUBEBUILDER_ASSETS']),
    programs: [...Object.keys(testPrograms), 'kubectl'].filter(onPath),
    postgres: filesIn('/usr/lib/postgresql'),
    requests: requests.map((name) => environment[name] ?? ''),
    hasGo: onPath('go'),
    // A cluster of the user's is another one each time that it is looked at.
    ...(hasMoto && hasPromtool && environment['KUBECONFIG'] === undefined ? {} : { now }),
  });
}

/** The names of a folder's files with their sizes, in order. */
function filesIn(folder: string | undefined): readonly string[] {
  try {
    return folder === undefined
      ? []
      : readdirSync(folder)
          .sort()
          .map((name) => `${name} ${String(sizeOf(join(folder, name)))}`);
  } catch {
    return []; // There is no such folder.
  }
}

const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size;

if (import.meta.main) console.log(machineOf({ environment: process.env, home: homedir(), now: Date.now() }));
