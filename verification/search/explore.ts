/**
 * Searches the histories of all four kinds: every single fault of every scenario, crashes first, and as many pairs by chance beside them, until so many histories count or the time is
 * over. A history counts when all its faults struck and no other had the same trace.
 *
 *   node --conditions=ordinal-source verification/search/explore.ts [--kind cache,kv,database,set] [--scenario TEXT]… [--singles] [--histories 100000]
 *     [--minutes 60] [--seed 1] [--workers N] [--failures 1] [--out shares.jsonl]
 *
 * `--scenario`: only the scenarios that have this in their name. It may be given several times. `--singles`: every single fault, and no pairs.
 * `--workers`: how many processes; by default one for each core. What is found does not depend on it. `--out`: each share of the search is written there
 * when it is done, and a search that finds shares there goes on after them: begin a new file when the code has changed. Exits 1 at the first failure
 * (`--failures`: after so many that differ), and prints the history with a test to paste.
 */
import { kinds } from './engine/search-scenarios.ts';
import { searchOptions } from './engine/options.ts';
import { search } from './engine/search.ts';

process.exitCode = (await search(searchOptions(kinds))) ? 0 : 1;
