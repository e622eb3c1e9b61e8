/** A test that the page names: its file, and the titles in it; without titles every test of the file. */
export interface NamedTest {
  readonly file: string;
  readonly titles: readonly string[];
}

/** One row of docs/evidence/requirements.md. */
export interface Row {
  /** The section's name and the row's place in it, from 1: `000.14`. */
  readonly id: string;
  readonly section: string;
  /** The text of the row's claim, with its code marks. For the commands of the seeds it is the command. */
  readonly claim: string;
  readonly tests: readonly NamedTest[];
}

const columns: Readonly<Record<string, number>> = { seed: 1 };

/** All rows of the page, in their order. */
export function rowsOf(page: string): readonly Row[] {
  const rows: Row[] = [];
  let [section, claimColumn, inTable, place] = ['', 0, false, 0];
  for (const line of page.split('\n')) {
    if (line.startsWith('## ')) [section, place] = [sectionOf(line), 0];
    if (!line.startsWith('| ')) {
      inTable = false;
      continue;
    }
    const cells = line.split('|').map((cell) => cell.replace(/\s+/g, ' ').trim());
    if (cells[1]?.startsWith('--') === true) continue;
    if (!inTable) {
      [inTable, claimColumn] = [true, 1 + (columns[cells[1] ?? ''] ?? 0)];
      continue;
    }
    place += 1;
    const held = cells.at(-2) ?? '';
    rows.push({ id: `${section}.${String(place)}`, section, claim: cells[claimColumn] ?? '', tests: testsIn(held) });
  }
  return rows;
}

/** `000` for a seed, else the word of the heading that says what it is about. */
const sectionOf = (heading: string): string =>
  (/\d{3}|kubectl/.exec(heading) ?? /\w+/.exec(heading.toLowerCase()))?.[0] ?? '';

function testsIn(text: string): NamedTest[] {
  return [...text.matchAll(/`([^`\s]+\.ts)`((?:,? “[^”]+”)*)/g)].map(([, file = '', titles = '']) => ({
    file,
    titles: [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title),
  }));
}

/** What vitest's `-t` takes for these titles; placeholders of tables stand for anything. Undefined for all tests. */
export function patternOf(titles: readonly string[]): string | undefined {
  if (titles.length === 0) return undefined;
  const escaped = titles.map((title) =>
    title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/%[sdifjo]|\\\$\w+/g, '.*'),
  );
  return escaped.map((each) => `(?:${each})`).join('|');
}
