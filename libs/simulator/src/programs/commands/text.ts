import { normalPath } from '../file-system.ts';
import type { CommandIo, SimpleCommand } from '../shell/command.ts';
import { awk } from './awk.ts';
import { inputOf, linesOf } from './text-input.ts';

const print = (lines: readonly string[], { out }: CommandIo): number => {
  if (lines.length > 0) out(`${lines.join('\n')}\n`);
  return 0;
};

/** Flags such as `-nr`, and what follows them. */
function split(args: readonly string[]): { readonly flags: string; readonly rest: readonly string[] } {
  const count = args.findIndex((arg) => !/^-[A-Za-z]/.test(arg));
  const given = count < 0 ? args : args.slice(0, count);
  return { flags: given.map((flag) => flag.slice(1)).join(''), rest: count < 0 ? [] : args.slice(count) };
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\([ntr\\])/g, (_, char: string) => ({ n: '\n', t: '\t', r: '\r' })[char] ?? '\\');

const echo: SimpleCommand = (args, { out }) => {
  const { flags, rest } = /^-[neE]+$/.test(args[0] ?? '') ? split(args) : { flags: '', rest: args };
  const text = rest.join(' ');
  out(`${flags.includes('e') ? unescaped(text) : text}${flags.includes('n') ? '' : '\n'}`);
  return 0;
};

/** `printf FORMAT [VALUE…]`: the format is repeated until all values are printed. */
const printf: SimpleCommand = ([format = '', ...values], { out }) => {
  const left = [...values];
  do
    out(
      unescaped(format).replaceAll(/%(%|[sdi])/g, (_, kind: string) =>
        kind === '%' ? '%' : (left.shift() ?? (kind === 's' ? '' : '0')),
      ),
    );
  while (left.length > 0 && /%[sdi]/.test(format));
  return 0;
};

const cat: SimpleCommand = (args, io) => {
  const text = inputOf('cat', args, io);
  if (text === undefined) return 1;
  io.out(text);
  return 0;
};

const grep: SimpleCommand = (args, io) => {
  const { flags, rest } = split(args);
  const [pattern = '', ...paths] = rest;
  const text = inputOf('grep', paths, io);
  if (text === undefined) return 2;
  const source = flags.includes('F')
    ? pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    : flags.includes('E')
      ? pattern
      : // In a basic expression these stand for themselves, and for more after a backslash.
        pattern.replaceAll(/\\?[+?|(){}]/g, (each) => (each.length === 2 ? each.slice(1) : `\\${each}`));
  const expression = new RegExp(source, flags.includes('i') ? 'i' : '');
  const found = linesOf(text).filter((line) => expression.test(line) !== flags.includes('v'));
  if (flags.includes('c')) io.out(`${found.length}\n`);
  else if (!flags.includes('q')) print(found, io);
  return found.length > 0 ? 0 : 1;
};

const sort: SimpleCommand = (args, io) => {
  const { flags, rest } = split(args);
  const text = inputOf('sort', rest, io);
  if (text === undefined) return 1;
  const lines = [...linesOf(text)].sort((left, right) =>
    flags.includes('n') ? parseFloat(left) - parseFloat(right) : left < right ? -1 : Number(left > right),
  );
  if (flags.includes('r')) lines.reverse();
  return print(flags.includes('u') ? [...new Set(lines)] : lines, io);
};

/** The first or the last lines. Without end, it waits until its process is to end. */
const ends =
  (name: 'head' | 'tail'): SimpleCommand =>
  (args, io) => {
    const follows = args.some((arg) => /^-[fF]$/.test(arg));
    const given = args.filter((arg) => !/^-[fF]$/.test(arg));
    const count = Number(/^-(?:n)?(\d+)$/.exec(given[0] ?? '')?.[1] ?? (given[0] === '-n' ? given[1] : 10));
    const paths = given.filter((arg, index) => !arg.startsWith('-') && given[index - 1] !== '-n');
    const text = inputOf(name, paths, io);
    if (text === undefined) return 1;
    const lines = linesOf(text);
    print(name === 'head' ? lines.slice(0, count) : lines.slice(Math.max(0, lines.length - count)), io);
    return follows ? untilAborted(io.signal) : 0;
  };

/** Waits, and rejects when the process is asked to end. */
export function untilAborted(signal: AbortSignal | undefined): Promise<number> {
  return new Promise((_, reject) => {
    const end = (): void => reject(signal?.reason as Error); // What it was aborted with.
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

const wc: SimpleCommand = (args, io) => {
  const { flags, rest } = split(args);
  const text = inputOf('wc', rest, io);
  if (text === undefined) return 1;
  const counts = {
    l: text.split('\n').length - 1,
    w: text.split(/\s+/).filter(Boolean).length,
    c: Buffer.byteLength(text),
  };
  const shown = Object.entries(counts).filter(([flag]) => flags === '' || flags.includes(flag));
  io.out(`${[...shown.map(([, count]) => count), ...rest.slice(0, 1)].join(' ')}\n`);
  return 0;
};

const tee: SimpleCommand = (args, { files, folder, stdin, out }) => {
  const { flags, rest } = split(args);
  out(stdin);
  const written = rest.map((path) => {
    const at = normalPath(path, folder);
    return files.write(at, `${flags.includes('a') ? (files.read(at) ?? '') : ''}${stdin}`);
  });
  return written.every(Boolean) ? 0 : 1;
};

/** Two numbers and what is to be done with them. */
const expr: SimpleCommand = ([left = '', operator = '', right = ''], { out, err }) => {
  const [a, b] = [Number(left), Number(right)];
  const results: Readonly<Record<string, number>> = {
    '+': a + b,
    '-': a - b,
    '*': a * b,
    '/': Math.trunc(a / b),
    '%': a % b,
    '=': Number(left === right),
    '!=': Number(left !== right),
    '<': Number(a < b),
    '>': Number(a > b),
  };
  const result = operator === '' ? a : results[operator];
  if (result === undefined || Number.isNaN(result)) {
    err('expr: syntax error\n');
    return 2;
  }
  out(`${result}\n`);
  return result === 0 ? 1 : 0;
};

const seq: SimpleCommand = (args, io) => {
  const numbers = args.map(Number);
  const last = numbers.at(-1) ?? 0;
  const first = numbers.length > 1 ? (numbers[0] ?? 1) : 1;
  return print(
    Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => String(first + index)),
    io,
  );
};

/** One field of each line, by its number. */
const cut: SimpleCommand = (args, io) => {
  const number = Number(/^-f(\d+)$/.exec(args.find((arg) => arg.startsWith('-f')) ?? '')?.[1]);
  const delimiter = args.find((arg) => arg.startsWith('-d'))?.slice(2) ?? '\t';
  const text = inputOf(
    'cut',
    args.filter((arg) => !arg.startsWith('-')),
    io,
  );
  if (text === undefined || Number.isNaN(number)) return 1;
  return print(
    linesOf(text).map((line) => (line.includes(delimiter) ? (line.split(delimiter)[number - 1] ?? '') : line)),
    io,
  );
};

/** Bytes as `hexdump -C` shows them. */
const hexdump: SimpleCommand = (args, io) => {
  const { rest } = split(args);
  const text = inputOf('hexdump', rest, io);
  if (text === undefined) return 1;
  // Bytes of a ConfigMap are letters of Latin 1; any other text has its own bytes.
  const isBytes = [...text].every((letter) => letter.charCodeAt(0) < 256);
  const bytes = Buffer.from(text, isBytes ? 'latin1' : 'utf8');
  const offset = (at: number): string => at.toString(16).padStart(8, '0');
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const shown = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const letters = row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    io.out(`${offset(at)}  ${shown.padEnd(48)} |${letters}|\n`);
  }
  io.out(`${offset(bytes.length)}\n`);
  return 0;
};

/** Commands that print or look for text. */
export const textCommands: Readonly<Record<string, SimpleCommand>> = {
  awk,
  echo,
  cat,
  printf,
  grep,
  sort,
  head: ends('head'),
  tail: ends('tail'),
  wc,
  tee,
  cut,
  expr,
  hexdump,
  seq,
};
