import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const text = (file: string): string => readFileSync(join(root, file), 'utf8');
const json = <T>(file: string): T => JSON.parse(text(file)) as T;
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
}

interface Renovate {
  readonly packageRules: readonly {
    readonly matchPackageNames?: readonly string[];
    readonly matchFileNames?: readonly string[];
  }[];
}

describe('the files for those who host and contribute', () => {
  test('each line of CODEOWNERS matches files, and names no team that is made up', () => {
    const lines = text('.github/CODEOWNERS')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const wrong = lines.filter((line) => {
      const [pattern = '', ...owners] = line.split(/ +/);
      const matches = pattern === '*' || existsSync(join(root, pattern));
      return !matches || owners.some((owner) => !/^@[\w-]+(?:\/[\w-]+)?$/.test(owner) || owner.startsWith('@ordinal'));
    });
    expect(lines.length).toBeGreaterThan(4);
    expect(wrong).toEqual([]);
  });

  test('rules of Renovate name packages and files that are here', () => {
    const { devDependencies } = json<Manifest>('package.json');
    const { packageRules } = json<Renovate>('renovate.json');
    const packages = packageRules.flatMap(({ matchPackageNames = [] }) => matchPackageNames);
    expect(packages.filter((name) => !(name in devDependencies))).toEqual([]);
    const patterns = packageRules.flatMap(({ matchFileNames = [] }) => matchFileNames);
    const beginsNothing = patterns.filter((pattern) => {
      const folder = pattern.slice(0, pattern.indexOf('*'));
      return !files.some((file) => file.startsWith(folder));
    });
    expect(beginsNothing).toEqual([]);
  });

  test('the container for development has a Node that can install the workspace', () => {
    const { image, postCreateCommand } = json<{ image: string; postCreateCommand: string }>(
      '.devcontainer/devcontainer.json',
    );
    const [, least = ''] = />=(\d+)/.exec(json<Manifest>('package.json').engines.node) ?? [];
    expect(Number(/:(\d+)-/.exec(image)?.[1])).toBeGreaterThanOrEqual(Number(least));
    expect(postCreateCommand).toContain('npm ci');
  });

  test('VS Code starts programs that are here', () => {
    const { configurations } = json<{ configurations: readonly { readonly program?: string }[] }>(
      '.vscode/launch.json',
    );
    const programs = configurations.flatMap(({ program = [] }) => program);
    expect(programs.length).toBeGreaterThan(0);
    expect(programs.filter((program) => !existsSync(join(root, program.replace('${workspaceFolder}', ''))))).toEqual(
      [],
    );
  });

  test('the map in CONTRIBUTING has each folder of the root with code', () => {
    const map = text('CONTRIBUTING.md');
    const folders = new Set(
      files.flatMap(
        (file) => /^(?:(?:libs|tools|verification)\/[^/.]+|apps|bench|docs|examples)(?=\/)/.exec(file)?.[0] ?? [],
      ),
    );
    expect([...folders].filter((folder) => !map.includes(`(${folder}`))).toEqual([]);
  });
});
