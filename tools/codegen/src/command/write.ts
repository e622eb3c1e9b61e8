import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { bannerStart } from '../emit/banner.ts';
import type { GeneratedFile } from '../emit/options.ts';
import { CodegenError } from '../error.ts';

/** What differs between a folder and what would be generated into it. */
export interface Difference {
  readonly path: string;
  /** Undefined where the file is missing. */
  readonly before: string | undefined;
  /** Undefined where the file is no longer generated. */
  readonly after: string | undefined;
}

/**
 * Compares a folder with the files that belong into it. Files in it that the generator did not write are not its business, except where one stands in
 * the way: that is a `CodegenError`.
 */
export function compareFolder(folder: string, files: readonly GeneratedFile[]): Difference[] {
  const wanted = new Map(files.map((file) => [file.path, file.text]));
  const found = new Map(readGenerated(folder, wanted));
  const paths = [...new Set([...wanted.keys(), ...found.keys()])].sort();
  return paths
    .map((path) => ({ path, before: found.get(path), after: wanted.get(path) }))
    .filter(({ before, after }) => before !== after);
}

/**
 * Brings a folder to the state of the files: all or nothing as far as a file system can. Everything is written beside its place first and renamed when
 * the last byte is on the disk. Files that are equal are not touched; generated ones that are no longer wanted go.
 */
export function writeFolder(folder: string, differences: readonly Difference[]): void {
  if (differences.length === 0) return;
  const created: string[] = [];
  let stage: string | undefined;
  try {
    created.push(...makeFolder(folder));
    stage = mkdtempSync(join(folder, '.ordinal-codegen-'));
    const written = differences.flatMap(({ path, after }) => (after === undefined ? [] : [{ path, after }]));
    written.forEach(({ after }, index) => writeFileSync(join(stage ?? folder, String(index)), after));
    for (const { path } of written) {
      created.push(...makeFolder(dirname(join(folder, path))));
      refuseFolder(join(folder, path));
    }
    written.forEach(({ path }, index) => renameSync(join(stage ?? folder, String(index)), join(folder, path)));
    for (const { path, after } of differences) if (after === undefined) rmSync(join(folder, path));
  } catch (error) {
    // New folders hold nothing of anyone else's.
    for (const path of created) rmSync(path, { recursive: true, force: true });
    const message = `can not write: ${error instanceof Error ? error.message : String(error)}; choose another --out or make it writable`;
    throw new CodegenError('NotWritable', message, { place: { file: folder }, cause: error });
  } finally {
    if (stage !== undefined) rmSync(stage, { recursive: true, force: true });
  }
}

/** A folder where a file belongs would stop the renaming half-way. */
function refuseFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error(`${path} is a folder`);
}

/** Makes a folder and those above it; returns the topmost that is new, if any. `mkdirSync` with `recursive` never returns below `/proc`. */
function makeFolder(folder: string): string[] {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is a file, and a folder is needed there`);
    return [];
  }
  const parent = dirname(folder);
  const above = parent === folder ? [] : makeFolder(parent);
  mkdirSync(folder);
  return above.length > 0 ? above : [folder];
}

function readGenerated(folder: string, wanted: ReadonlyMap<string, string>): [string, string][] {
  if (!existsSync(folder)) return [];
  if (!statSync(folder).isDirectory()) {
    throw new CodegenError('NotWritable', 'is not a directory; choose another --out', { place: { file: folder } });
  }
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry): [string, string][] => {
    const full = join(entry.parentPath, entry.name);
    const path = relative(folder, full).replaceAll('\\', '/');
    if (!entry.isFile() || !entry.name.endsWith('.ts') || path.includes('node_modules/')) return [];
    const text = readFileSync(full, 'utf8');
    if (text.startsWith(bannerStart)) return [[path, text]];
    if (!wanted.has(path)) return [];
    const message = 'was not generated and would be overwritten; move it away or choose another --out';
    throw new CodegenError('NotWritable', message, { place: { file: full } });
  });
}
