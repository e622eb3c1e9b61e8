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

const urgency: readonly Tone[] = ['bad', 'waits', 'busy', 'good'];

const textOf = ({ key, phase, step = '', version = '', says = '' }: Row): string =>
  `${key} ${phase} ${step} ${version} ${says}`.toLowerCase();

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
