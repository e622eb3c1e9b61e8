import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Files } from './templates.js';

const root = join(import.meta.dirname, '../..');

/** A copy of the workspace in a folder of its own, which generators write to. */
export class Copy implements Files {
  /** What was written, from the root of the copy. */
  readonly written: string[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'ordinal-generated-'));

  constructor() {
    const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    });
    const files = listed.split('\n').filter((file) => file !== '' && existsSync(join(root, file)));
    for (const file of files) cpSync(join(root, file), join(this.folder, file));
    this.linkModules();
    // The checks ask git which files there are.
    execFileSync('git', ['init', '--quiet'], { cwd: this.folder });
  }

  /** Whether there is such a file in the copy. */
  exists(path: string): boolean {
    return existsSync(join(this.folder, path));
  }

  /** The text of a file of the copy. */
  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** Writes a file of the copy, with the folders above it. */
  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), content);
    this.written.push(path);
  }

  /** Runs a program of the workspace in the copy. Throws with what it printed where it fails. */
  run(program: string, ...words: readonly string[]): void {
    const file = join(root, 'node_modules/.bin', program);
    try {
      execFileSync(file, words, { cwd: this.folder, encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
      throw new Error(`${program} ${words.join(' ')}: ${stdout}${stderr}`, { cause: error });
    }
  }

  /** Deletes the copy. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What is installed is shared, but for the packages of the workspace: those are the copy's own. */
  private linkModules(): void {
    const modules = join(this.folder, 'node_modules');
    mkdirSync(join(modules, '@ordinal'), { recursive: true });
    for (const name of readdirSync(join(root, 'node_modules')).filter(
      (each) => each !== '@ordinal' && each !== '.cache',
    ))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
    for (const file of globSync('{apps,libs,tools}/*/package.json', { cwd: root }))
      symlinkSync(join('../..', dirname(file)), join(modules, '@ordinal', basename(dirname(file))));
  }
}
