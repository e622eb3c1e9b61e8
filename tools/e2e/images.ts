// `nx run e2e:images`: the images of the software that a run without flags of this commit needs. They wait for the network, so that CI makes them beside its tests.
import { join } from 'node:path';
import { archivesFolder, makeArchives } from './archives.ts';
import { ClusterProgram } from './cluster-program.ts';
import { run } from './kubernetes.ts';
import { obstacle } from './obstacle.ts';
import { scenarios } from './scenarios/index.ts';
import { softwareArchives } from './software.ts';
import { selected } from '../workspace/scenarios.ts';

const cluster = new ClusterProgram(join(import.meta.dirname, '../cluster/cluster'));
const commit = await run('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname }).catch(() => '');
const wanted = { scenarios: selected(Object.keys(scenarios), { all: false, commit }), isWhole: false };
const reason = obstacle(cluster);

if (reason !== undefined) console.log(`skipped: ${reason}\n0 passed, 0 failed, 1 skipped`);
else {
  const { archives } = await makeArchives(archivesFolder, wanted, (folder) =>
    softwareArchives(cluster, folder, wanted),
  );
  for (const archive of archives) console.log(archive);
}
