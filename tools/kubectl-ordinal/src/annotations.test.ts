import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { annotations } from './annotations.ts';

const reconcilers = join(import.meta.dirname, '../../../libs/reconcilers/src');

test('the operator reads these annotations', () => {
  const sources = globSync('**/*.ts', { cwd: reconcilers }).map((file) =>
    readFileSync(join(reconcilers, file), 'utf8'),
  );
  const unread = Object.values(annotations).filter((name) => !sources.some((text) => text.includes(`'${name}'`)));
  expect(unread).toEqual([]);
});
