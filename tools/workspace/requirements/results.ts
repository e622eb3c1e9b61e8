import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** What came of a row's mutation, and at which commit. */
export interface RowResult {
  readonly claim: string;
  readonly noticed: boolean;
  /** The test that noticed it, or why none did. */
  readonly by: string;
  readonly seconds: number;
  /** Of the mistake, the file that has it and the tests, as they were: see `fingerprintOf`. */
  readonly content: string;
  /** What was checked out; what was changed on top of it stands in `content` alone. */
  readonly commit: string;
  /** `2026-11-24`. */
  readonly date: string;
}

/** The results of the rows, kept in a file; a run of some rows leaves those of the others. */
export class Results {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** The results by the row's ID. */
  all(): Readonly<Record<string, RowResult>> {
    // The file is our own.
    return existsSync(this.#file) ? (JSON.parse(readFileSync(this.#file, 'utf8')) as Record<string, RowResult>) : {};
  }

  /** Keeps one, at once: a run that is ended loses nothing. */
  keep(id: string, result: RowResult): void {
    this.#write({ ...this.all(), [id]: result });
  }

  /** Leaves out results of rows that are not on the page any more, or say something else. A row that has another place in its section keeps its result. */
  keepOnly(rows: readonly { readonly id: string; readonly claim: string }[]): void {
    const results = new Map(Object.entries(this.all()).map(([id, result]) => [keyOf(id, result.claim), result]));
    const kept = rows.flatMap(({ id, claim }) => {
      const result = results.get(keyOf(id, claim));
      return result ? [[id, result] as const] : [];
    });
    this.#write(Object.fromEntries(kept));
  }

  #write(results: Readonly<Record<string, RowResult>>): void {
    const sorted = Object.fromEntries(
      Object.entries(results).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })),
    );
    writeFileSync(this.#file, `${JSON.stringify(sorted, null, 2)}\n`);
  }
}

/** A row by its section and what it says. */
const keyOf = (id: string, claim: string): string => `${id.split('.', 1)[0] ?? ''} ${claim}`;

const line = /^Last run of `npm run requirements`: .*$/m;

/**
 * The page with the line that says how many rows there are, how many of their mistakes were noticed, how many were not, and how many had no run; of those noticed also when
 * and at which commits they ran. `exempt` rows are never run.
 */
export function withSummary(
  page: string,
  { rows, exempt }: { readonly rows: number; readonly exempt: number },
  results: readonly RowResult[],
): string {
  const noticed = results.filter((result) => result.noticed);
  const [dates, commits] = [noticed.map(({ date }) => date), noticed.map(({ commit }) => commit)].map((each) =>
    [...new Set(each)].toSorted().join(', '),
  );
  const at = noticed.length === 0 ? '' : `, on ${dates ?? ''} at ${commits ?? ''}`;
  const missed = results.length - noticed.length;
  const rest = `${String(missed)} not noticed, ${String(rows - exempt - results.length)} not run`;
  if (!line.test(page))
    throw new Error('docs/evidence/requirements.md has no line that begins with: Last run of `npm run requirements`:');
  return page.replace(
    line,
    `Last run of \`npm run requirements\`: ${String(noticed.length)} of ${String(rows)} rows noticed, ${String(exempt)} exempt, ${rest}${at}.`,
  );
}
