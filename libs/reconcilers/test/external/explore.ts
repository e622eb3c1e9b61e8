/**
 * Searches the histories of CloudDatabase and MonitoredStatefulSet. Options as of `../explore.ts`, which searches all kinds.
 *
 *   node --conditions=ordinal-source libs/reconcilers/test/external/explore.ts [--kind database,set] …
 */
import { searchOptions } from '../search/options.ts';
import { search } from '../search/search.ts';

process.exitCode = (await search(searchOptions(['database', 'set']))) ? 0 : 1;
