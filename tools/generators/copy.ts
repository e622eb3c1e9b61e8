import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The environment without what Nx gives to a task: with it, an Nx in the copy would work on the workspace. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('NX_')));

/** A copy of the workspace in a folder of its own, which generators write to. */
export class Copy {
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

  /** Runs a program of the workspace in the copy, and returns what it printed. Throws with that where it fails. */
  run(program: string, ...words: readonly string[]): string {
    const file = join(root, 'node_modules/.bin', program);
    try {
      return execFileSync(file, words, { cwd: this.folder, encoding: 'utf8', stdio: 'pipe', env: environment });
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
      throw new Error(`${program} ${words.join(' ')}: ${stdout}${stderr}`, { cause: error });
    }
  }

  /** Deletes the copy. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What is installed is shared, but for the packages of the workspace: those are the copy's own, linked as `npm ci` links them. */
  private linkModules(): void {
    const modules = join(this.folder, 'node_modules');
    mkdirSync(join(modules, '@ordinal'), { recursive: true });
    for (const name of readdirSync(join(root, 'node_modules')).filter(
      (each) => each !== '@ordinal' && each !== '.cache',
    ))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
    const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly workspaces: readonly string[];
    };
    for (const folder of workspaces) symlinkSync(join('../..', folder), join(modules, '@ordinal', basename(folder)));
  }
}
