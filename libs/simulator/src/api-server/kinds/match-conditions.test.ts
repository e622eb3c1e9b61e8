import { expect, it } from 'vitest';
import { conditionCauses } from './match-conditions.ts';

const fields = (...expressions: readonly string[]): readonly string[] =>
  conditionCauses(
    expressions.map((expression, index) => ({ name: `c${index}`, expression })),
    'at',
  ).map(({ field }) => field);

it('refuses conditions that no server could ask', () => {
  expect(fields('true', '', 'object ==', 'nothing.at.all', "'text'")).toEqual([
    'at[1].expression',
    'at[2].expression',
    'at[3].expression',
    'at[4].expression',
  ]);
});

it('takes what only this side can not ask', () => {
  expect(fields("authorizer.group('apps').resource('deployments').check('create').allowed()")).toEqual([]);
});
