import type { SearchScenario } from './search-scenario.ts';
import { externalSearchScenarios } from './external-scenarios.ts';
import { lifecycleSearchScenarios } from './lifecycle-scenarios.ts';

/** All that can be searched. A scenario is named by its number in this list, in messages between processes and in files. */
export const searchScenarios: readonly SearchScenario[] = [...lifecycleSearchScenarios, ...externalSearchScenarios];

/** The names of all kinds. */
export const kinds: readonly string[] = [...new Set(searchScenarios.map(({ kind }) => kind))];
