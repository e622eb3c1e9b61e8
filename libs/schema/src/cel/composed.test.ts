import { describe, expect, it } from 'vitest';
import { ComposedExpressions, UnsupportedRule } from './index.ts';

describe('expressions that name others', () => {
  const composed = new ComposedExpressions(
    ['object'],
    [
      { name: 'size', expression: 'object.size' },
      { name: 'twice', expression: 'variables.size * 2' },
      { name: 'missing', expression: 'object.none' },
    ],
  );

  it('evaluates a variable that names another one', () => {
    expect(composed.over({ object: { size: 2 } }).holds('variables.twice == 4')).toEqual({ holds: true });
    expect(composed.over({ object: { size: 3 } }).holds('variables.twice == 4')).toEqual({ holds: false });
  });

  it('evaluates only what is asked for', () => {
    const { holds } = composed.over({ object: { size: 2 } });
    expect(holds('variables.size == 2')).toEqual({ holds: true });
    expect(holds('variables.missing == 1')).toEqual({
      error: 'composited variable "missing" fails to evaluate: no such key: none',
    });
  });

  it('gives texts, truth values and null as they are, and nothing else', () => {
    const { evaluate } = composed.over({ object: { size: 2, name: 'a' } });
    expect(['object.name', 'object.size > 1', 'null', 'object.size'].map((expression) => evaluate(expression))).toEqual(
      [{ value: 'a' }, { value: true }, { value: null }, { value: undefined }],
    );
    expect(evaluate('object.none')).toEqual({ error: 'no such key: none' });
  });

  it('refuses what it can not compile', () => {
    expect(() => composed.over({ object: null }).holds('params.size == 1')).toThrow(UnsupportedRule);
    expect(() => new ComposedExpressions([], [{ name: 'a', expression: 'object ==' }])).toThrow(UnsupportedRule);
  });
});
