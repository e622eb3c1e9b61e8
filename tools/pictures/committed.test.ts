import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pictures } from './pictures.ts';

const folder = join(import.meta.dirname, '../../docs/images');

test.each(pictures.map(({ file, draw }) => [file, draw] as const))(
  '%s is what kubectl ordinal prints now: `node --conditions=ordinal-source tools/pictures/main.ts` draws it again',
  async (file, draw) => {
    expect(await draw()).toBe(readFileSync(join(folder, file), 'utf8'));
  },
);
