/** The recipes under load, by the names of their scenarios. */
export const recipes = [
  'redis-store',
  'redis-set',
  'etcd',
  'nats',
  'zookeeper',
  'postgresql',
  'galera',
  'valkey',
  'kafka',
  'rabbitmq',
] as const;

/** What takes turns beside the recipes. A run takes one recipe and one of these, as the commit says: all of them do not fit into the hour that CI has. */
const others = ['adoption', 'channels', 'wedges', 'interrupted'] as const;
const turns: readonly string[] = [...recipes, ...others];

/** What is asked for on the command line, and what decides where that leaves it open. */
export interface Wish {
  /** Names with commas between them. `recipes` stands for all of those. */
  readonly only?: string | undefined;
  readonly all: boolean;
  /** The hash of the commit that the run is of; empty where there is none. */
  readonly commit: string;
}

/** Whose turn it is in a run of this commit: the same for the same commit, and each recipe as often as every other one. */
export function turnOf(commit: string): readonly string[] {
  const start = Number.parseInt(commit.slice(0, 8) || '0', 16);
  const at = (list: readonly string[], place: number): string => list[place % list.length] ?? '';
  return [at(recipes, start), at(others, Math.floor(start / recipes.length))];
}

/** Which of the scenarios run, in their order, or in that of their names. Throws where a name is none. */
export function selected(scenarios: readonly string[], { only, all, commit }: Wish): readonly string[] {
  if (only !== undefined) {
    const asked = only.split(',').flatMap((name) => (name === 'recipes' ? recipes : [name]));
    const unknown = asked.find((name) => !scenarios.includes(name));
    if (unknown !== undefined) throw new Error(`there is no scenario ${unknown}: ${scenarios.join(', ')}, recipes`);
    return asked;
  }
  const turn = turnOf(commit);
  const rests = new Set<string>(all ? [] : turns.filter((name) => !turn.includes(name)));
  return scenarios.filter((name) => !rests.has(name));
}

/** Scenarios that may run at the same time: they measure no time without writes, take nothing away that another one needs, and each has namespaces of its own. */
const besideOneAnother: readonly string[] = ['store', 'external', 'deletions', 'console'];

/** The scenarios in their order, with those that run at the same time together, where the first of them stands. */
export function inGroups(names: readonly string[]): readonly (readonly string[])[] {
  const together = names.filter((name) => besideOneAnother.includes(name));
  return names.flatMap((name) => {
    if (!together.includes(name)) return [[name]];
    return name === together[0] ? [together] : [];
  });
}
