import { fencesOf } from '../prose/markdown.ts';

/** What a reader does with a block of a page. */
export type Step =
  | { readonly kind: 'file'; readonly body: string }
  | {
      readonly kind: 'commands';
      readonly line: number;
      readonly commands: readonly string[];
      /** What the page says that the last command prints: each line, with `…` for what differs. Undefined where it says nothing. */
      readonly shows: RegExp | undefined;
    };

/** The blocks of YAML, the commands, and what they print by the blocks of text after them, in the order of the page. Commands under a comment are for another case. */
export function stepsOf(page: string): readonly Step[] {
  const steps: Step[] = [];
  for (const { language, body, line, comment } of fencesOf(page)) {
    if (comment !== undefined) continue;
    const last = steps.at(-1);
    if (language === 'yaml') steps.push({ kind: 'file', body });
    if (language === 'sh') steps.push({ kind: 'commands', line, commands: commandsOf(body), shows: undefined });
    if (language === 'text' && last?.kind === 'commands') steps.splice(-1, 1, { ...last, shows: patternOf(body) });
  }
  return steps;
}

const commandsOf = (body: string): readonly string[] =>
  body
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');

/** Runs of spaces are one, as tables are as wide as their longest cell. More columns and more lines may come between. */
const patternOf = (body: string): RegExp =>
  new RegExp(
    body
      .trim()
      .split('\n')
      .map((line) => line.trim().split('…').map(escaped).join('[^\n]*'))
      .join('[^\n]*\n(?:.*\n)*?\\s*'),
  );

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s+/g, '\\s+');
