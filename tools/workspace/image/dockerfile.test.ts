import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runtime } from './operator-image.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const lines = readFileSync(join(root, 'Dockerfile'), 'utf8').split('\n');
const last = (word: string): string =>
  lines.findLast((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? '';

// It is not built here: that needs an engine. What can be known without one is held to what `npm run image` makes.
describe('the Dockerfile', () => {
  test('takes files along that are in the repository or that the bundle makes', () => {
    const taken = lines.flatMap((line) => [...line.matchAll(/\/src\/(\S+)/g)].map(([, path]) => path ?? ''));
    const made = /dist\/ordinal-operator\.mjs$/;
    expect(taken.some((path) => made.test(path))).toBe(true);
    expect(taken.filter((path) => !made.test(path) && !existsSync(join(root, path)))).toEqual([]);
  });

  test('runs programs that are in the repository', () => {
    const run = lines.filter((line) => line.startsWith('RUN ')).join(' ');
    const programs = [...run.matchAll(/node (\S+\.ts)/g)].map(([, path]) => path ?? '');
    expect(programs.length).toBeGreaterThan(0);
    expect(programs.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('starts the program as the image without Docker does', () => {
    const [node = '', ...rest] = JSON.parse(last('ENTRYPOINT')) as string[];
    expect(node.endsWith('/node')).toBe(true);
    expect(rest).toEqual([...runtime.flags, runtime.program]);
    expect(last('USER')).toBe(runtime.user);
    expect(last('ENV').split(' ')).toEqual(runtime.environment);
  });
});
