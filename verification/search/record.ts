// Runs one history of a cache or a store again, and writes it to a file that `kubectl ordinal console --history FILE` shows.
//
//   node --conditions=ordinal-source verification/search/record.ts --scenario NAME [--faults JSON] [--seed 1] --out history.json
//
// The name, the faults and the seed are those that a failure of a search is reported with.
import { writeFileSync } from 'node:fs';
import type { Fault } from '@ordinal/explorer';
import { generalInvariants, recordHistory } from '@ordinal/explorer';
import { readFlags } from '../../tools/flags/flags.ts';
import { cacheScenarios, laterCacheScenarios } from './clustered-cache/scenarios.ts';
import { together } from './faults/faults.ts';
import { kvStoreScenarios, laterStoreScenarios } from './kv-store-cluster/scenarios.ts';

const usage = 'record.ts --scenario NAME [--faults JSON] [--seed 1] --out history.json';
const { values } = readFlags(usage, {
  options: {
    scenario: { type: 'string', default: '' },
    faults: { type: 'string', default: '[]' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string', default: 'history.json' },
  },
});
const all = [...cacheScenarios, ...laterCacheScenarios, ...kvStoreScenarios, ...laterStoreScenarios];
const found = all.find(({ scenario }) => scenario.name === values.scenario);
if (!found)
  throw new TypeError(`--scenario takes one of:\n${all.map(({ scenario }) => `  ${scenario.name}`).join('\n')}`);
const { scenario, oracles } = found;
const { outcome, recorded } = await recordHistory({
  scenario,
  oracles: [...generalInvariants, ...oracles],
  seed: Number(values.seed),
  faults: together(JSON.parse(values.faults) as readonly Fault[]), // As a failure reports them.
});
writeFileSync(values.out, JSON.stringify(recorded));
console.log(`${values.out}: ${recorded.entries.length} entries, ${outcome.violations.length} violations`);
