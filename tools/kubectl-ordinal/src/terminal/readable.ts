const escape = '\u001b';

/** What `colored` writes. */
const ownColors = new RegExp(`(${escape}\\[(?:1|2|22|31|32|33|39)m)`);

/** All but the tab and the line feed. */
const controlCharacter = /[^\P{Cc}\t\n]/gu;

const shown = (character: string): string => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;

/**
 * A text for a terminal, in which control characters can be read: names, messages and answers are of others, who could move the cursor with them, or hide what stands
 * there. Colors of this program stay. Pure.
 */
export const readable = (text: string): string =>
  text
    .split(ownColors)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(controlCharacter, shown)))
    .join('');
