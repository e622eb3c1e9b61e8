/**
 * What a user waits for beside another tenant's caches, each in an upgrade whose gate never answers: until the StatefulSet of a new cache is there, and until an upgrade
 * of it is done.
 *
 *   node --conditions=ordinal-source bench/fairness/run.ts [--timeout 60s] [--caches 60,1000] [--namespaces 1,10]
 *
 * The cluster is simulated and time is virtual: what is measured is waiting, not computing. The operator has ten workers, as it has by default. Exits 1 where a
 * new cache waits for more than a second, or an upgrade takes more than twice as long as alone.
 */
import type { Service } from '../../libs/reconcilers/test/fairness/caches.ts';
import { serviceBeside } from '../../libs/reconcilers/test/fairness/caches.ts';
import { readFlags } from '../../tools/flags/flags.ts';

const { values } = readFlags('npm run bench:fairness -- [--timeout 60s] [--caches 60,1000] [--namespaces 1,10]', {
  options: {
    timeout: { type: 'string', default: '60s' },
    caches: { type: 'string', default: '60,1000' },
    namespaces: { type: 'string', default: '1,10' },
  },
});
const numbers = (text: string): readonly number[] => text.split(',').map(Number);
const seconds = (ms: number | undefined): string =>
  ms === undefined ? 'more than 8 h' : `${(ms / 1000).toFixed(2)} s`;
const row = (what: string, { createdMs, upgradedMs }: Service): void =>
  console.log(`| ${what} | ${seconds(createdMs)} | ${seconds(upgradedMs)} |`);

const { timeout } = values;
console.log('| beside | until the StatefulSet is there | an upgrade of three members |\n| --- | --- | --- |');
const alone = await serviceBeside({ caches: 0, namespaces: 1, timeout });
row('no other tenant', alone);
for (const caches of numbers(values.caches)) {
  for (const namespaces of numbers(values.namespaces)) {
    const service = await serviceBeside({ caches, namespaces, timeout });
    row(`${caches} caches in ${namespaces === 1 ? 'one namespace' : `${namespaces} namespaces`}`, service);
    const { createdMs = Infinity, upgradedMs = Infinity } = service;
    if (createdMs > 1_000 || upgradedMs > 2 * (alone.upgradedMs ?? 0)) process.exitCode = 1;
  }
}
