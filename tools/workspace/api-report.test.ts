import { join } from 'node:path';
import { expect, test } from 'vitest';
import { declarationsOf, workspaceOptions } from './api-report/declarations.ts';

const root = join(import.meta.dirname, '../..');
const file = join(import.meta.dirname, 'fixtures/api-report/index.ts');

test('the report of an entry has each export with its types, and nothing that is private', () => {
  expect(declarationsOf([{ specifier: 'counter', file }], workspaceOptions(root)).get('counter')).toBe(
    [
      'export class Counter {',
      '    add(step: Step): number;',
      '}',
      'export type Step = 1 | 2;',
      'export const twice: (value: number) => number;',
      'export const unit: string;',
    ].join('\n'),
  );
});
