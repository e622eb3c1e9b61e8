/** A piece of prose that people read, with the place where it is written. */
export interface Passage {
  /** The file, from the root. */
  readonly file: string;
  /** The line where the text begins, counted from 1. */
  readonly line: number;
  readonly kind: 'page' | 'docstring' | 'message' | 'description';
  readonly text: string;
}

/**
 * The text on one line, with `…` for what is quoted: names, commands and values are no prose, and what stands between “ and ” is the title of a test or
 * the message of a program.
 */
export const withoutQuotes = (text: string): string =>
  text
    .replace(/\{@link [^}]*\}/g, '…')
    .replace(/`[^`\n]*`/g, '…')
    .replace(/“[^”]*”/g, '…')
    .replace(/https?:\/\/[^\s)]+/g, '…')
    .replace(/\s+/g, ' ')
    .trim();
