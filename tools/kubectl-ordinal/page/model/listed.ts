import type { Row, Tone } from '../../src/console/wire.ts';

/** What of the list is wanted. */
export interface Wanted {
  readonly search: string;
  readonly only?: Tone | undefined;
}

/** How many there are, in words. */
export const resourcesOf = (count: number): string => `${count} ${count === 1 ? 'resource' : 'resources'}`;

/** As people count: a-9 before a-10. Made once, since each comparison by a locale of its own takes a hundred times as long. */
const collator = new Intl.Collator('en', { numeric: true });

/** How many lines the first picture has: as many as a high window shows. */
export const firstLines = 40;
/** How many each further picture adds, so that the browser shows what it has in between, and listens. */
const furtherLines = 60;

/** How many lines the next picture has, where this one has so many and there are so many resources. Never fewer. Pure. */
export const linesNext = (drawn: number, known: number): number =>
  Math.max(drawn, Math.min(known, drawn + furtherLines));

const urgency: readonly Tone[] = ['bad', 'waits', 'busy', 'good'];

const textOf = ({ key, phase, paused, step = '', version = '', says = '' }: Row): string =>
  `${key} ${phase} ${paused === undefined ? '' : 'paused'} ${step} ${version} ${says}`.toLowerCase();

/** The lines that are wanted, what needs a person first. Pure. */
export function listed(rows: readonly Row[], { search, only }: Wanted): readonly Row[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return rows
    .filter((row) => (only === undefined || row.tone === only) && words.every((word) => textOf(row).includes(word)))
    .sort((a, b) => urgency.indexOf(a.tone) - urgency.indexOf(b.tone) || collator.compare(a.key, b.key));
}
