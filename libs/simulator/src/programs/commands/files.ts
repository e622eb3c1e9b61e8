import { normalPath } from '../file-system.ts';
import type { CommandIo, SimpleCommand } from '../shell/command.ts';

const missing = 'No such file or directory';

const pathsOf = (args: readonly string[]): readonly string[] => args.filter((arg) => !arg.startsWith('-'));
const flagsOf = (args: readonly string[]): string => args.filter((arg) => arg.startsWith('-')).join('');

const touch: SimpleCommand = (args, { files, folder, err }) => {
  const failed = pathsOf(args).filter((path) => {
    const at = normalPath(path, folder);
    return files.read(at) === undefined && !files.isFolder(at) && !files.write(at, '');
  });
  for (const path of failed) err(`touch: ${path}: ${missing}\n`);
  return failed.length === 0 ? 0 : 1;
};

const rm: SimpleCommand = (args, { files, folder, err }) => {
  const failed = pathsOf(args).filter((path) => !files.remove(normalPath(path, folder)));
  if (flagsOf(args).includes('f')) return 0;
  for (const path of failed) err(`rm: can't remove '${path}': ${missing}\n`);
  return failed.length === 0 ? 0 : 1;
};

const mkdir: SimpleCommand = (args, { files, folder, err }) => {
  const failed = pathsOf(args).filter((path) => {
    const at = normalPath(path, folder);
    const isThere = files.isFolder(at) || files.read(at) !== undefined;
    if (!isThere) files.makeFolder(at);
    return isThere && !flagsOf(args).includes('p');
  });
  for (const path of failed) err(`mkdir: can't create directory '${path}': File exists\n`);
  return failed.length === 0 ? 0 : 1;
};

/** Copies files, and takes the ones that were there away where they are to be moved. */
const copy =
  (name: 'cp' | 'mv'): SimpleCommand =>
  (args, { files, folder, out, err }) => {
    const paths = pathsOf(args);
    const target = normalPath(paths.at(-1) ?? '', folder);
    let status = 0;
    for (const path of paths.slice(0, -1)) {
      const from = normalPath(path, folder);
      const text = files.read(from);
      const to = files.isFolder(target) ? `${target}/${from.slice(from.lastIndexOf('/') + 1)}` : target;
      if (text === undefined || !files.write(to, text)) {
        err(`${name}: can't ${name === 'cp' ? 'stat' : 'rename'} '${path}': ${missing}\n`);
        status = 1;
        continue;
      }
      if (name === 'mv') files.remove(from);
      if (flagsOf(args).includes('v')) out(name === 'mv' ? `renamed '${from}' -> '${to}'\n` : `'${from}' -> '${to}'\n`);
    }
    return status;
  };

const ls: SimpleCommand = (args, { files, folder, out, err }) => {
  const paths = pathsOf(args);
  let status = 0;
  for (const path of paths.length === 0 ? ['.'] : paths) {
    const at = normalPath(path, folder);
    const names = files.isFolder(at) ? files.list(at) : files.read(at) === undefined ? undefined : [path];
    if (names === undefined) {
      err(`ls: ${path}: ${missing}\n`);
      status = 1;
    } else if (names.length > 0) out(`${names.join('\n')}\n`);
  }
  return status;
};

type Test = (left: string, right: string) => boolean;

const comparisons: Readonly<Record<string, Test>> = {
  '=': (left, right) => left === right,
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '-eq': (left, right) => Number(left) === Number(right),
  '-ne': (left, right) => Number(left) !== Number(right),
  '-lt': (left, right) => Number(left) < Number(right),
  '-le': (left, right) => Number(left) <= Number(right),
  '-gt': (left, right) => Number(left) > Number(right),
  '-ge': (left, right) => Number(left) >= Number(right),
};

function holds(words: readonly string[], io: CommandIo): boolean {
  const [first = '', second = '', third = ''] = words;
  if (first === '!') return !holds(words.slice(1), io);
  for (const [operator, every] of [
    ['-o', false],
    ['-a', true],
  ] as const) {
    const at = words.indexOf(operator, 1);
    if (at < 0 || at === words.length - 1) continue;
    const sides = [words.slice(0, at), words.slice(at + 1)].map((side) => holds(side, io));
    return every ? sides.every(Boolean) : sides.some(Boolean);
  }
  if (words.length === 3) return comparisons[second]?.(first, third) ?? false;
  if (words.length < 2) return first !== '';
  const path = normalPath(second, io.folder);
  const text = io.files.read(path);
  switch (first) {
    case '-z':
      return second === '';
    case '-n':
      return second !== '';
    case '-d':
      return io.files.isFolder(path);
    case '-f':
      return text !== undefined;
    case '-s':
      return text !== undefined && text !== '';
    default:
      return text !== undefined || io.files.isFolder(path);
  }
}

/** A test, with the word that closes it. */
const test =
  (close?: string): SimpleCommand =>
  (args, io) => {
    if (close !== undefined && args.at(-1) !== close) {
      io.err(`sh: missing ${close}\n`);
      return 2;
    }
    return holds(close === undefined ? args : args.slice(0, -1), io) ? 0 : 1;
  };

/** Commands that look at files, and change them. */
export const fileCommands: Readonly<Record<string, SimpleCommand>> = {
  touch,
  rm,
  mkdir,
  cp: copy('cp'),
  mv: copy('mv'),
  ls,
  test: test(),
  '[': test(']'),
  '[[': test(']]'),
};
