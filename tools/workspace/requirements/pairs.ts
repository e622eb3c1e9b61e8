import type { RowMutation, SectionMutations } from './mutation.ts';
import type { NamedTest, Row } from './rows.ts';

/** A row with its mistake, and the tests that have to notice it. */
export interface Pair {
  readonly row: Row;
  readonly mutation: RowMutation;
  readonly tests: readonly NamedTest[];
}

/** Each row with its mutation; `exempt` is how many need none; `faults` says in words what does not fit: rows without one, mutations without a row. */
export function pair(
  rows: readonly Row[],
  sections: readonly SectionMutations[],
): { readonly pairs: readonly Pair[]; readonly exempt: number; readonly faults: readonly string[] } {
  const pairs: Pair[] = [];
  let exempted = 0;
  const faults: string[] = [];
  const used = new Set<object>();
  const begins = (row: Row, section: string, claim: string): boolean =>
    row.section === section && row.claim.startsWith(claim);
  for (const row of rows) {
    const found = sections.flatMap(({ section, mutations }) =>
      mutations.filter(({ claim }) => begins(row, section, claim)),
    );
    const exempt = sections.flatMap(({ section, exempt: list = [] }) =>
      list.filter(({ claim }) => begins(row, section, claim)),
    );
    for (const each of [...found, ...exempt]) used.add(each);
    const [mutation] = found;
    if (exempt[0] !== undefined && found.length === 0) {
      exempted += 1;
      continue;
    }
    if (mutation === undefined || found.length > 1) {
      faults.push(`${row.id} has ${String(found.length)} mutations: ${row.claim}`);
      continue;
    }
    const tests = mutation.tests ?? row.tests.filter(({ file }) => file.endsWith('.test.ts'));
    if (tests.length === 0) faults.push(`${row.id} names no test that can run: ${row.claim}`);
    else pairs.push({ row, mutation, tests });
  }
  const all = sections.flatMap(({ mutations, exempt = [] }) => [...mutations, ...exempt]);
  faults.push(...all.filter((each) => !used.has(each)).map(({ claim }) => `no row begins so: ${claim}`));
  return { pairs, exempt: exempted, faults };
}
