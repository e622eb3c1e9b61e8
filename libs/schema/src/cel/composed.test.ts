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

describe('objects that expressions make', () => {
  const made = (expression: string) =>
    new ComposedExpressions(['object'], []).over({ object: { size: 2 } }).made(expression);

  it.each([
    ['Object{spec: Object.spec{replicas: object.size + 1, ?none: object.?none}}', { spec: { replicas: 3 } }],
    [
      'Object{metadata: Object.metadata{labels: {"a.b/c": "d"}, `in`: [1.5, 2.5]}}',
      { metadata: { labels: { 'a.b/c': 'd' }, in: [1.5, 2.5] } },
    ],
    ['[JSONPatch{op: "add", path: "/a", value: object.size}]', [{ op: 'add', path: '/a', value: 2 }]],
    ['object.size > 5 ? Object{} : Object{a: null}', { a: null }],
  ])('%s', (expression, value) => {
    expect(made(expression)).toEqual({ value });
  });

  it('makes no other message, and none where none is wanted', () => {
    expect(() => made('Pod{name: "a"}')).toThrow(UnsupportedRule);
    expect(() => made('JSONPatch{what: "a"}')).toThrow(UnsupportedRule);
    const { evaluate } = new ComposedExpressions(['object'], []).over({ object: null });
    expect(() => evaluate('Object{} == 1')).toThrow(UnsupportedRule);
  });

  it('says what JSON has no form for', () => {
    expect(made('Object{a: b"text"}')).toEqual({ error: 'the value has no form in JSON' });
  });
});
