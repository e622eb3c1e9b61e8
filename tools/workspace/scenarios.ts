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
] as const;

/** What takes turns: a run takes two of these, as the commit says. All of them do not fit into the hour that CI has. */
const turns: readonly string[] = [...recipes, 'adoption', 'channels', 'wedges', 'interrupted'];
const eachTime = 2;

/** What is asked for on the command line, and what decides where that leaves it open. */
export interface Wish {
  /** Names with commas between them. `recipes` stands for all of those. */
  readonly only?: string | undefined;
  readonly all: boolean;
  /** The hash of the commit that the run is of; empty where there is none. */
  readonly commit: string;
}

/** Whose turn it is in a run of this commit: the same for the same commit, and each as often as every other one. */
export function turnOf(commit: string): readonly string[] {
  const start = Number.parseInt(commit.slice(0, 8) || '0', 16) % turns.length;
  // Two steps apart: neighbours in the list are much the same.
  return Array.from({ length: eachTime }, (_, at) => turns[(start + 2 * at) % turns.length] ?? '');
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
