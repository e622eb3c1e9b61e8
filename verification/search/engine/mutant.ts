import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { Searched } from './searched.ts';
import { inPairs } from './searched.ts';

/** What a module exports. */
export type Original = Readonly<Record<string, (...args: never[]) => unknown>>;

/** A bug put back: the module that has it (as seen from this folder), what is different in it, and the scenario whose search must notice. */
export interface Mutant<Name extends string> {
  readonly bug: string;
  readonly module: string;
  readonly change: (original: Original) => object;
  readonly scenario: Name;
}

/** How long mutants are searched, and what imports the scenarios: they have to be read after the module was changed. */
export interface MutantSearch<Name extends string> {
  readonly histories: number;
  readonly load: () => Promise<Readonly<Record<Name, Searched>>>;
}

/** Calls what a module really exports. */
export const call = (original: Original, name: string, ...args: unknown[]): unknown =>
  original[name]?.(...(args as never[])); // A mutant says itself what it calls.

/**
 * How many failures the search finds with the bug put back.
 *
 * **Guarantees.** It throws where the mutant would change nothing in silence: its module is not there or not loaded, or does not export what is replaced or called.
 */
export async function failuresWith<Name extends string>(
  { module, change, scenario }: Mutant<Name>,
  { histories, load }: MutantSearch<Name>,
): Promise<number> {
  if (module.startsWith('.') && !existsSync(join(import.meta.dirname, module)))
    throw new Error(`there is no module ${module}, seen from ${import.meta.dirname}`);
  const unknown = new Set<string>();
  let isLoaded = false;
  vi.resetModules();
  vi.doMock(module, async (importOriginal) => {
    isLoaded = true;
    const real = await importOriginal<Original>();
    const changed = change(noting(real, unknown));
    for (const name of Object.keys(changed)) if (!(name in real)) unknown.add(name);
    return { ...real, ...changed };
  });
  const { explore } = await import('@ordinal/explorer');
  const searched = (await load())[scenario];
  const report = await explore({ ...inPairs(searched), seed: 1, budget: { histories, failures: 1 } });
  if (!isLoaded) throw new Error(`the scenario ${scenario} does not load ${module}`);
  if (unknown.size > 0) throw new Error(`${module} does not export ${[...unknown].join(', ')}`);
  return report.failures.length;
}

/** The same module, which notes the names that others import and it does not export. */
const noting = (real: Original, unknown: Set<string>): Original =>
  new Proxy(real, {
    get(target, name) {
      if (typeof name === 'string' && !(name in target)) unknown.add(name);
      return Reflect.get(target, name) as unknown;
    },
  });

/** Makes a test of each mutant. */
export function findsMutants<Name extends string>(mutants: readonly Mutant<Name>[], search: MutantSearch<Name>): void {
  unmocksAfterEach(mutants);

  test.each(mutants.map((mutant) => [mutant.bug, mutant] as const))(
    'finds %s',
    async (_bug, mutant) => {
      expect(await failuresWith(mutant, search)).toBeGreaterThan(0);
    },
    300_000,
  );
}

/** Has the tests of this file leave the modules of these mutants as they are. */
export function unmocksAfterEach(mutants: readonly Pick<Mutant<string>, 'module'>[]): void {
  afterEach(() => {
    for (const { module } of mutants) vi.doUnmock(module);
    vi.resetModules();
  });
}
