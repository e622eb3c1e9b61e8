import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Stage } from './kinds.ts';
import { stages } from './kinds.ts';

/** What came of one mistake in one stage. */
export interface Finding {
  readonly kind: string;
  readonly name: string;
  readonly breaks: string;
  readonly stage: Stage;
  readonly found: boolean;
  /** The test that found it, or why none did. */
  readonly by: string;
  readonly seconds: number;
}

const head = `# What the tests find

Mistakes that were put into the packages one at a time, and the first test that failed because of each: of the search of histories, in its share of
\`npm test\`, and of the other tests. Written by \`run.ts\`; seconds are those of the machine it last ran on. A dash: not tried in this way.

| kind | mistake | breaks | found by the search | found by a test | seconds |
| --- | --- | --- | --- | --- | --- |
`;

const notFound = '**not found**';
const notTried = '-';
const cell = (text: string): string => (text.split('\n', 1)[0] ?? '').replaceAll('|', '/').trim();

/** The cells of a row, in their order. */
type Row = Readonly<Record<'kind' | 'name' | 'breaks' | Stage | 'seconds', string>>;

/** The table of what was found, kept in a file: a run of some mistakes leaves the rows of the others. */
export class Results {
  private readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  /** Whether a kept row says that this stage has found it. */
  isFound(kind: string, name: string, stage: Stage): boolean {
    const said = this.rows().get(keyOf(kind, name))?.[stage] ?? notTried;
    return said !== notTried && !said.includes(notFound);
  }

  /** The files of all tests that the rows name, as paths in the workspace. */
  testFiles(): readonly string[] {
    const named = [...this.rows().values()].flatMap((row) => stages.map((stage) => /^\S+\.test\.ts/.exec(row[stage])));
    return [...new Set(named.flatMap((found) => found ?? []))];
  }

  /** Keeps a finding, at once: a run that is ended loses nothing, and one beside it neither. */
  keep({ kind, name, breaks, stage, found, by, seconds }: Finding): void {
    const rows = this.rows();
    const { search = notTried, tests = notTried } = rows.get(keyOf(kind, name)) ?? {};
    const said = found ? cell(by) : `${notFound}: ${cell(by)}`;
    rows.set(keyOf(kind, name), {
      ...{ kind, name: cell(name), breaks: cell(breaks), search, tests, seconds: String(seconds) },
      [stage]: said,
    });
    this.write(rows);
  }

  /** Leaves out rows of mistakes that are not among these. */
  keepOnly(mistakes: readonly { readonly kind: string; readonly name: string }[]): void {
    const known = new Set(mistakes.map(({ kind, name }) => keyOf(kind, name)));
    this.write(new Map([...this.rows()].filter(([key]) => known.has(key))));
  }

  private write(rows: ReadonlyMap<string, Row>): void {
    const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => lineOf(row));
    writeFileSync(this.file, `${head}${sorted.join('\n')}\n`);
  }

  private rows(): Map<string, Row> {
    const lines = existsSync(this.file) ? readFileSync(this.file, 'utf8').split('\n') : [];
    const rows = lines.filter((text) => text.startsWith('| ')).slice(2);
    return new Map(
      rows.map((line) => {
        const [, kind = '', name = '', breaks = '', search = '', tests = '', seconds = ''] = line
          .split('|')
          .map((text) => text.trim());
        return [keyOf(kind, name), { kind, name, breaks, search, tests, seconds }];
      }),
    );
  }
}

const keyOf = (kind: string, name: string): string => `${kind}: ${cell(name)}`;

const lineOf = ({ kind, name, breaks, search, tests, seconds }: Row): string =>
  `| ${[kind, name, breaks, search, tests, seconds].join(' | ')} |`;
