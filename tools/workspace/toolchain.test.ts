import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** The major version that `package.json` asks for: `^26.10.0` and `npm:typescript@^7.0.2` name 26 and 7. */
const majorOf = (name: string): string => /(?:^|@)\^?(\d+)\./.exec(devDependencies[name] ?? '')?.[1] ?? 'none';

// Another result than expected means an installation that is older than package.json: `npm ci`.
describe('what is installed is what package.json names', () => {
  test('the Node that runs the tests', () => {
    expect(process.versions.node.split('.')[0]).toBe(majorOf('node'));
  });

  // Two packages bring a program of this name, and npm links the first of them in the order of their folders.
  test('tsc is the compiler for types and builds, not the one that tools call', () => {
    const version = execFileSync(join(root, 'node_modules/.bin/tsc'), ['--version'], { encoding: 'utf8' });
    expect(/^Version (\d+)\./.exec(version)?.[1]).toBe(majorOf('@typescript/compiler'));
  });

  test('tools call a compiler that has the programming interface', () => {
    expect(ts.versionMajorMinor.split('.')[0]).toBe(majorOf('typescript'));
  });
});

test('the image is built on the Node that the tests run on', () => {
  const bases = [...readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/^FROM \S+\/node:(\d+)\./gm)];
  expect(bases.map(([, major]) => major)).toEqual([majorOf('node'), majorOf('node')]);
});
