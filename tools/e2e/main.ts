// `npm run e2e`: a real Kubernetes from nothing, the operator from its image and its manifest, real Redis and PostgreSQL, real volumes. Leaves nothing behind.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorImages, prepareImages, type BuiltImages } from './cluster.ts';
import { ClusterProgram } from './cluster-program.ts';
import { install, operatorLogs } from './install.ts';
import { Kubernetes, run } from './kubernetes.ts';
import { checkBridgeAddress } from './network.ts';
import { obstacle } from './obstacle.ts';
import { Report } from './report.ts';
import { scenarios } from './scenarios/index.ts';

import type { World } from './world.ts';
import { readFlags } from '../flags/flags.ts';
import { inGroups, recipes, selected } from '../workspace/scenarios.ts';

const usage = `npm run e2e [-- FLAG…]

  --keep            leaves the cluster up
  --use             uses the cluster of this name that is up already, and leaves it
  --loaded          with --use: the images are on the node already
  --images          the images of software are those that nx run e2e:images has made
  --only=A,B        runs these scenarios only: ${Object.keys(scenarios).join(', ')}; recipes stands for ${recipes.join(', ')}
  --all             runs all scenarios whole; else one recipe takes its turn, and one of adoption, channels, wedges and interrupted, by the hash of the commit. Recipes leave steps out then
  --short           leaves out the steps of recipes that a run of CI leaves out, also of those named by --only
  --seed=N          repeats what was left to chance
  --runs=N          measures so many upgrades of Redis (3)
  --kills=N         kills the operator so many times in the middle of upgrades (5)`;

const { values } = readFlags(usage, {
  options: {
    keep: { type: 'boolean', default: false },
    use: { type: 'boolean', default: false },
    loaded: { type: 'boolean', default: false },
    images: { type: 'boolean', default: false },
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    seed: { type: 'string' },
    runs: { type: 'string', default: '3' },
    kills: { type: 'string', default: '5' },
  },
});
const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
const commit = await run('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname }).catch(() => '');
const isWhole = !values.short && (values.all || values.only !== undefined);
const names = selected(Object.keys(scenarios), { only: values.only, all: values.all, commit });
const folder = mkdtempSync(join(tmpdir(), 'ordinal-e2e-'));
const cluster = new ClusterProgram(join(import.meta.dirname, '../cluster/cluster'));

function worldOf(kubernetes: Kubernetes, report: Report, images: BuiltImages): World {
  const { operator: image, next: nextImage, hasMoto, hasKafka } = images;
  return {
    kubernetes,
    cluster,
    report,
    image,
    nextImage,
    hasMoto,
    hasKafka,
    seed,
    isWhole,
    runs: Number(values.runs),
    kills: Number(values.kills),
  };
}

async function main(): Promise<number> {
  const reason = obstacle(cluster);
  if (reason !== undefined) {
    console.log(`skipped: ${reason}\n0 passed, 0 failed, 1 skipped`);
    return 0;
  }
  console.log(`scenarios: ${names.join(', ')} (commit ${commit.slice(0, 8) || 'unknown'})`);
  let kubernetes: Kubernetes | undefined;
  // Only what this run has started is taken down: an instance that is up already is another one's.
  let isOurs = false;
  const report = new Report(folder, async () => (kubernetes ? await operatorLogs(kubernetes) : {}));
  try {
    let images: BuiltImages | undefined;
    await report.scenario('From nothing to an installed operator', async () => {
      if (!values.use) {
        await report.step('the components of Kubernetes are built', () => cluster.run('build'));
        await report.step('a node is up', async () => {
          await cluster.run('up');
          isOurs = true;
        });
        await report.step("the node's address among the pods stays as pods come and go", () => checkBridgeAddress());
      }
      if (values.loaded) images = { ...operatorImages(), hasMoto: true, hasKafka: true };
      else
        images = await report.step('images and manifest are made', () =>
          prepareImages(cluster, {
            folder: join(folder, 'images'),
            areMade: values.images,
            scenarios: names,
            isWhole,
          }),
        );
      kubernetes = new Kubernetes(cluster.kubectl, (await cluster.run('kubeconfig')).trim());
      await install(worldOf(kubernetes, report, images));
    });
    if (report.failed > 0 || !kubernetes || !images) return 1;
    const world = worldOf(kubernetes, report, images);
    for (const group of inGroups(names)) {
      const parts = group.flatMap((name) => scenarios[name] ?? []);
      if (parts.length === 1) await parts[0]?.(world);
      else await report.together(parts.map((part) => (own) => part({ ...world, report: own })));
    }
    return report.failed === 0 ? 0 : 1;
  } finally {
    if (isOurs && !values.keep) await cluster.run('down');
    rmSync(join(folder, report.failed === 0 ? '' : 'images'), { recursive: true, force: true });
    console.log(`\n${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped`);
  }
}

process.exitCode = await main();
