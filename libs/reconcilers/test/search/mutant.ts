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

/** Calls what a module really exports. */
export const call = (original: Original, name: string, ...args: unknown[]): unknown =>
  original[name]?.(...(args as never[])); // A mutant says itself what it calls.

/** Makes a test of each mutant. `load` imports the scenarios, which have to be read after the module was changed. */
export function findsMutants<Name extends string>(
  mutants: readonly Mutant<Name>[],
  { histories, load }: { readonly histories: number; readonly load: () => Promise<Readonly<Record<Name, Searched>>> },
): void {
  afterEach(() => {
    for (const { module } of mutants) vi.doUnmock(module);
    vi.resetModules();
  });

  test.each(mutants.map((mutant) => [mutant.bug, mutant] as const))(
    'finds %s',
    async (_bug, { module, change, scenario }) => {
      vi.resetModules();
      vi.doMock(module, async (original) => {
        const real = await original<Original>();
        return { ...real, ...change(real) };
      });
      const { explore } = await import('@ordinal/explorer');
      const searched = (await load())[scenario];
      const report = await explore({ ...inPairs(searched), seed: 1, budget: { histories, failures: 1 } });
      expect(report.failures.length).toBeGreaterThan(0);
    },
    300_000,
  );
}
