import type { NamedTest } from '../rows.ts';

/** Sources of the reconcilers. */
export const src = 'libs/reconcilers/src';

/** What the kinds share. */
export const lifecycle = 'libs/lifecycle/src';

/** Scenarios of the search, by their names: those in which a check of the search meets a mistake. */
export const searched = (kind: 'clustered-cache' | 'kv-store-cluster', ...titles: readonly string[]): NamedTest[] => [
  { file: `verification/search/${kind}/explore.test.ts`, titles },
];

/** The histories of one of the kinds that keep something outside. */
export const histories = (
  kind: 'cloud-database' | 'monitored-stateful-set',
  ...titles: readonly string[]
): NamedTest[] => [
  { file: `verification/search/external/${kind === 'cloud-database' ? 'database' : 'set'}-histories.test.ts`, titles },
];
