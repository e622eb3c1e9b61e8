import { styleText } from 'node:util';

/** What a part of a line is, for a terminal that shows colors. */
export type Tone = 'good' | 'bad' | 'warn' | 'dim' | 'strong' | 'plain';

/** Colors a text, or leaves it as it is. */
export type Paint = (tone: Tone, text: string) => string;

const formats = { good: 'green', bad: 'red', warn: 'yellow', dim: 'dim', strong: 'bold' } as const;

/** For terminals. */
export const colored: Paint = (tone, text) =>
  tone === 'plain' ? text : styleText(formats[tone], text, { validateStream: false });

/** For files, pipes and terminals that want no colors. */
export const plain: Paint = (_, text) => text;
