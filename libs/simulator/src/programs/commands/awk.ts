import type { SimpleCommand } from '../shell/command.ts';
import { inputOf, linesOf } from './text-input.ts';

/** One rule of a program: what is printed of the lines that it selects. */
interface Rule {
  readonly selects: (line: string, number: number) => boolean;
  /** What is printed, with blanks between: each a row of parts without any. */
  readonly prints: readonly (readonly Part[])[];
}

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'field'; readonly number: number | 'last' }
  | { readonly kind: 'count'; readonly of: 'fields' | 'lines' };

const rulePattern = /^\s*(?:\/((?:[^/\\]|\\.)*)\/|NR\s*==\s*(\d+))?\s*(?:\{\s*print\s*([^{};]*);?\s*\})?\s*/;
const partPattern = /^\s*(?:"((?:[^"\\]|\\.)*)"|\$(\d+|NF)|(NF|NR))\s*/;

/** `awk [-F SEPARATOR] PROGRAM [FILE…]`, of whose language there is what prints fields of lines: `/expression/ { print $1, "text" $NF }`. */
export const awk: SimpleCommand = (args, io) => {
  const { separator, rest } = separated(args);
  const [program = '', ...paths] = rest;
  const rules = rulesOf(program);
  if (rules === undefined) {
    io.err(`awk: the simulation can't read the program '${program}'\n`);
    return 2;
  }
  const text = inputOf('awk', paths, io);
  if (text === undefined) return 2;
  for (const [index, line] of linesOf(text).entries()) {
    const fields = fieldsOf(line, separator);
    for (const { selects, prints } of rules) {
      if (!selects(line, index + 1)) continue;
      const shown = prints.map((parts) =>
        parts.map((part) => valueOf(part, { line, fields, number: index + 1 })).join(''),
      );
      io.out(`${prints.length === 0 ? line : shown.join(' ')}\n`);
    }
  }
  return 0;
};

function separated(args: readonly string[]): {
  readonly separator: string | undefined;
  readonly rest: readonly string[];
} {
  const [first = '', second] = args;
  if (first === '-F') return { separator: second, rest: args.slice(2) };
  return first.startsWith('-F')
    ? { separator: first.slice(2), rest: args.slice(1) }
    : { separator: undefined, rest: args };
}

const fieldsOf = (line: string, separator: string | undefined): readonly string[] =>
  separator === undefined || separator === ' ' ? line.split(/\s+/).filter(Boolean) : line.split(separator);

function rulesOf(program: string): readonly Rule[] | undefined {
  const rules: Rule[] = [];
  for (let rest = program; rest.trim() !== '';) {
    const [whole = '', expression, line, printed] = rulePattern.exec(rest) ?? [];
    const prints = printed === undefined || printed.trim() === '' ? [] : printed.split(',').map(partsOf);
    if (whole.trim() === '' || prints.includes(undefined)) return undefined;
    rules.push({
      selects: (text, number) =>
        expression === undefined ? line === undefined || number === Number(line) : new RegExp(expression).test(text),
      prints: prints.filter((parts) => parts !== undefined),
    });
    rest = rest.slice(whole.length);
  }
  return rules.length === 0 ? undefined : rules;
}

function partsOf(text: string): readonly Part[] | undefined {
  const parts: Part[] = [];
  for (let rest = text; rest.trim() !== '';) {
    const match = partPattern.exec(rest);
    if (match === null) return undefined;
    const [whole, quoted, field, count] = match;
    if (quoted !== undefined)
      parts.push({ kind: 'text', text: quoted.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\t`, '\t') });
    else if (field !== undefined) parts.push({ kind: 'field', number: field === 'NF' ? 'last' : Number(field) });
    else parts.push({ kind: 'count', of: count === 'NF' ? 'fields' : 'lines' });
    rest = rest.slice(whole.length);
  }
  return parts;
}

interface Line {
  readonly line: string;
  readonly fields: readonly string[];
  readonly number: number;
}

function valueOf(part: Part, { line, fields, number }: Line): string {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'count') return String(part.of === 'fields' ? fields.length : number);
  if (part.number === 0) return line;
  return (part.number === 'last' ? fields.at(-1) : fields[part.number - 1]) ?? '';
}
