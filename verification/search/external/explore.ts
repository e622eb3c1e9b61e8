/**
 * Searches the histories of CloudDatabase and MonitoredStatefulSet. Options as of `../explore.ts`, which searches all kinds.
 *
 *   node --conditions=ordinal-source verification/search/external/explore.ts [--kind database,set] …
 */
import { searchOptions } from '../engine/options.ts';
import { search } from '../engine/search.ts';

process.exitCode = (await search(searchOptions(['database', 'set']))) ? 0 : 1;
