import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceText } from '../crd/read.ts';
import { CodegenError } from '../error.ts';

/**
 * The texts of the inputs: files as they are, folders with every YAML and JSON file below them in alphabetical order, `-` as standard input.
 * Throws a `CodegenError` for what can't be read.
 */
export function readInputs(inputs: readonly string[]): SourceText[] {
  return inputs.flatMap((input) =>
    input === '-' ? [{ file: '<stdin>', text: readText(0, '<stdin>') }] : readPath(input),
  );
}

function readPath(path: string): SourceText[] {
  const stat = attempt(path, () => statSync(path));
  if (!stat.isDirectory()) return [{ file: path, text: readText(path, path) }];
  const entries = attempt(path, () => readdirSync(path, { recursive: true, withFileTypes: true }));
  const files = entries
    .filter((entry) => !entry.isDirectory() && /\.(?:ya?ml|json)$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/[\\/](?:node_modules|\.git)[\\/]/.test(file.slice(path.length)))
    .sort();
  const sources = files.map((file) => ({ file, text: readText(file, file), optional: true }));
  if (!sources.some(({ text }) => text.includes('CustomResourceDefinition'))) {
    throw new CodegenError('NotACrd', 'no file in this folder holds a CRD; give one that does', {
      place: { file: path },
    });
  }
  return sources;
}

/** The largest input, in bytes: a list of every CRD of a large cluster is smaller. */
const largestInput = 64 * 1024 * 1024;

function readText(from: string | number, file: string): string {
  // A file is measured before it is read; what comes from standard input is of no known size.
  if (typeof from === 'string') refuseLarge(attempt(file, () => statSync(from)).size, file);
  const bytes = attempt(file, () => readFileSync(from));
  refuseLarge(bytes.length, file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new CodegenError('Unreadable', 'not UTF-8 text; save it as UTF-8', { place: { file }, cause: error });
  }
}

function refuseLarge(size: number, file: string): void {
  if (size <= largestInput) return;
  const message = `${String(size)} bytes, more than the ${String(largestInput)} that are read; give fewer CRDs at once`;
  throw new CodegenError('Unreadable', message, { place: { file } });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder; check the path',
  EACCES: 'no permission to read it; change its mode or owner',
  EISDIR: 'is a folder; give a file',
};

function attempt<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    const reason =
      reasons[code] ?? `can not be read: ${error instanceof Error ? error.message : String(error)}; check the path`;
    throw new CodegenError('Unreadable', reason, { place: { file }, cause: error });
  }
}
