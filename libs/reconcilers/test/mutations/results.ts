import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** What came of one mistake. */
export interface Row {
  readonly kind: string;
  readonly name: string;
  readonly breaks: string;
  readonly found: boolean;
  /** The test that found it, or why none did. */
  readonly by: string;
  readonly seconds: number;
}

const head = `# What the tests find

Mistakes that were put into the packages one at a time, and the first test that failed because of each. Written by \`run.ts\`; seconds are those of the
machine it last ran on.

| kind | mistake | breaks | found by | seconds |
| --- | --- | --- | --- | --- |
`;

const notFound = '**not found**';
const cell = (text: string): string => (text.split('\n', 1)[0] ?? '').replaceAll('|', '/').trim();

/** The table of what was found, kept in a file: a run of some mistakes leaves the rows of the others. */
export class Results {
  private readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  /** Whether a kept row says that it was found. */
  isFound(kind: string, name: string): boolean {
    const row = this.rows().get(`${kind}: ${cell(name)}`);
    return row !== undefined && !row.includes(notFound);
  }

  /** Keeps a row, at once: a run that is ended loses nothing, and one beside it neither. */
  keep({ kind, name, breaks, found, by, seconds }: Row): void {
    const rows = this.rows();
    const said = found ? cell(by) : `${notFound}: ${cell(by)}`;
    rows.set(`${kind}: ${cell(name)}`, `| ${[kind, cell(name), cell(breaks), said, String(seconds)].join(' | ')} |`);
    const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
    writeFileSync(this.file, `${head}${sorted.join('\n')}\n`);
  }

  private rows(): Map<string, string> {
    const lines = existsSync(this.file) ? readFileSync(this.file, 'utf8').split('\n') : [];
    const rows = lines.filter((text) => text.startsWith('| ')).slice(2);
    return new Map(
      rows.map((line) => {
        const [, kind = '', name = ''] = line.split('|').map((text) => text.trim());
        return [`${kind}: ${name}`, line];
      }),
    );
  }
}
