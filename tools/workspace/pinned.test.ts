import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { looseBases, looseEntries } from './pinned.ts';
import type { Lock } from './pinned.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const named = (...names: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => names.includes(basename(file)));

const locks = named('package-lock.json');
const dockerfiles = named('Dockerfile');

describe('what is installed is pinned', () => {
  test('there is something to look at', () => {
    expect(locks).toContain('package-lock.json');
    expect(dockerfiles).toContain('Dockerfile');
  });

  test.each(locks)('every entry of %s has an integrity and comes from the public registry', (file) => {
    expect(looseEntries(JSON.parse(read(file)) as Lock)).toEqual([]); // A lock file of npm.
  });

  test.each(dockerfiles)('every base of %s is named by digest', (file) => {
    expect(looseBases(read(file))).toEqual([]);
  });

  test.each(named('.npmrc'))('%s names no registry and no credentials', (file) => {
    expect(read(file)).not.toMatch(/registry\s*=|_auth|:\/\//);
  });
});

describe('the look at a lock file', () => {
  const integrity = `sha512-${'A'.repeat(86)}==`;
  const entry = 'node_modules/a';

  test.each<[string, Lock['packages'][string], readonly string[]]>([
    ['an entry with integrity', { integrity }, []],
    ['one of the registry', { integrity, resolved: 'https://registry.npmjs.org/a/-/a-1.0.0.tgz' }, []],
    ['a link to a package of the workspace', { link: true, resolved: 'libs/a' }, []],
    ['an entry without integrity', {}, [`${entry} has no integrity`]],
    ['a weak integrity', { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, [`${entry} has no integrity`]],
    [
      'another host',
      { integrity, resolved: 'https://mirror.example/a.tgz' },
      [`${entry} comes from https://mirror.example/a.tgz`],
    ],
    [
      'a host that looks like it',
      { integrity, resolved: 'https://registry.npmjs.org.example/a.tgz' },
      [`${entry} comes from https://registry.npmjs.org.example/a.tgz`],
    ],
    [
      'a repository',
      { resolved: 'git+ssh://git@host/a.git#1' },
      [`${entry} comes from git+ssh://git@host/a.git#1`, `${entry} has no integrity`],
    ],
    ['a link out of the workspace', { link: true, resolved: '../a' }, [`${entry} links to ../a`]],
  ])('%s', (_what, found, loose) => {
    expect(looseEntries({ packages: { [entry]: found, 'libs/a': {} } })).toEqual(loose);
  });
});

describe('the look at a Dockerfile', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  test.each<[string, string, readonly string[]]>([
    ['a digest', `FROM node:24@${digest} AS build\nFROM build`, []],
    ['nothing', 'FROM scratch', []],
    ['a tag', 'FROM node:24', ['node:24']],
    ['a stage that comes later', `from --platform=linux/amd64 later as build\nFROM node@${digest} AS later`, ['later']],
    ['a digest that is cut off', 'FROM node@sha256:00', ['node@sha256:00']],
    ['an argument', 'ARG BASE=node:24\nFROM ${BASE}', ['${BASE}']],
  ])('%s', (_what, text, loose) => {
    expect(looseBases(text)).toEqual(loose);
  });
});
