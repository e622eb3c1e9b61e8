/**
 * Compares what `kubectl ordinal plan` says in sampled states of the search with the writes that follow, in order.
 *
 *   node --conditions=ordinal-source verification/search/plans/main.ts [--states 1000] [--seed 1] [--kind cache,kv,set,database]
 *
 * `--states`: of all kinds together. Exits 1 where a plan differs, and prints it.
 */
import { readFlags } from '../../../tools/flags/flags.ts';
import { sampledHistories } from './histories.ts';
import { comparePlans, describeWrongPlan } from './run.ts';

const { values } = readFlags('plans/main.ts [--states 1000] [--seed 1] [--kind cache,kv,set,database]', {
  options: {
    states: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    kind: { type: 'string', default: 'cache,kv,set,database' },
  },
});
const kinds = values.kind.split(',');
const histories = sampledHistories.filter(({ kind }) => kinds.includes(kind));
const statesPerKind = Math.ceil(Number(values.states) / kinds.length);
const { counts, wrong } = await comparePlans(histories, { statesPerKind, seed: Number(values.seed), perHistory: 6 });
for (const [kind, { states, withWrites, writes, partial }] of Object.entries(counts))
  console.log(`${kind}: ${states} states, ${withWrites} with ${writes} writes; ${partial} more that were cut off`);
for (const each of wrong) console.log(describeWrongPlan(each));
console.log(wrong.length === 0 ? 'every plan is what followed' : `${wrong.length} plans differ`);
process.exitCode = wrong.length === 0 ? 0 : 1;
