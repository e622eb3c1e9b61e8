import { describe, expect, it } from 'vitest';
import { compileSchema } from '../compiled-schema.ts';
import type { JsonSchemaProps } from '../schema-props.ts';
import { cel } from './index.ts';

const text: JsonSchemaProps = { type: 'string' };
const spec: JsonSchemaProps = {
  type: 'object',
  properties: {
    a: { type: 'integer' },
    b: text,
    d: { type: 'string', format: 'duration' },
    is: { 'x-kubernetes-int-or-string': true },
    l: { type: 'array', items: text },
    m: { type: 'object', additionalProperties: { type: 'integer' } },
    o: { type: 'object', properties: { x: text } },
  },
};

const compileRule = (rule: string): unknown =>
  compileSchema({ type: 'object', properties: { spec: { ...spec, 'x-kubernetes-validations': [{ rule }] } } }, { cel });

/** Rules with the words for which a real API server (1.36.3) refuses a CRD that has them. */
const refused: readonly (readonly [rule: string, words: string])[] = [
  ["{'a': 1, 'b': 'x'}.size() == 2", "expected type 'int' but found 'string'"],
  ["{'a': 1, 2: 1}.size() == 2", "expected type 'string' but found 'int'"],
  ["{'a': 1, 'b': null}.size() == 2", "expected type 'int' but found 'null'"],
  ["{'a': null, 'b': 1}.size() == 2", "expected type 'null' but found 'int'"],
  ["{'a': duration('1s'), 'b': null}.size() == 2", "expected type 'duration' but found 'null'"],
  ["{'a': dyn(1), 'b': 'x'}.size() == 2", "expected type 'dyn' but found 'string'"],
  ["{'a': 1, 'b': 1.0}.size() == 2", "expected type 'int' but found 'double'"],
  ["{1: 'a', 2u: 'b'}.size() == 2", "expected type 'int' but found 'uint'"],
  ["{self.is: 1, 'x': 2}.size() == 1", "expected type 'dyn' but found 'string'"],
  ["{'a': {'x': 1}, 'b': {'x': 's'}}.size() == 2", "expected type 'map(string, int)' but found 'map(string, string)'"],
  ["{'a': [1], 'b': ['x']}.size() == 2", "expected type 'list(int)' but found 'list(string)'"],
  [
    "{'a': [[]], 'b': [[1]], 'c': [['x']]}.size() == 1",
    "expected type 'list(list(int))' but found 'list(list(string))'",
  ],
  ["{'a': self.m, 'b': {'x': 's'}}.size() == 2", "expected type 'map(string, int)' but found 'map(string, string)'"],
  ["{?'a': self.?b, 'b': 1}.size() == 2", "expected type 'string' but found 'int'"],
  ["{?'a': self.b, 'b': 'x'}.size() == 2", "expected type 'optional_type(string)' but found 'string'"],
  [
    "{'a': optional.of(1), 'b': optional.of('x')}.size() == 2",
    "expected type 'optional_type(int)' but found 'optional_type(string)'",
  ],
  [
    "[optional.none(), optional.of(1), optional.of('x')].size() == 1",
    "expected type 'optional_type(int)' but found 'optional_type(string)'",
  ],
  ['[?self.b].size() == 1', "expected type 'optional_type(string)' but found 'string'"],
  ["[?self.?is, 'x'].size() == 2", "expected type 'dyn' but found 'string'"],
  ["[1, dyn('x')][0] == 'x'", "expected type 'int' but found 'dyn'"],
  ["[self.is, 'x'].size() == 2", "expected type 'dyn' but found 'string'"],
  ['[self.?is.orValue(1), 1].size() == 1', "expected type 'dyn' but found 'int'"],
  ["[(self.a == 1 ? self.is : 'x'), 1].size() == 2", "expected type 'dyn' but found 'int'"],
  ["[[], [1], ['x']].size() == 1", "expected type 'list(int)' but found 'list(string)'"],
  ["[{}, {'a': 1}, {'a': 'x'}].size() == 1", "expected type 'map(string, int)' but found 'map(string, string)'"],
  [
    "[url('https://a.b').getQuery(), {'a': 'b'}].size() == 1",
    "expected type 'map(string, list(string))' but found 'map(string, string)'",
  ],
  ["{'a': 1}.a == 'x'", "found no matching overload for '_==_' applied to '(int, string)'"],
  ["{'a': 1}['a'] == 'x'", "found no matching overload for '_==_' applied to '(int, string)'"],
  ["{'a': 1}[1] == 1", "found no matching overload for '_[_]' applied to '(map(string, int), int)'"],
  ['self.m[?1].hasValue()', "found no matching overload for '_[?_]' applied to '(map(string, int), int)'"],
  [
    'self.?m[?1].hasValue()',
    "found no matching overload for '_[?_]' applied to '(optional_type(map(string, int)), int)'",
  ],
  ["self.l['a'] == 'x'", "found no matching overload for '_[_]' applied to '(list(string), string)'"],
  ["{'a': 1} == {1: 1}", "found no matching overload for '_==_' applied to '(map(string, int), map(int, int))'"],
  ["1 in {'a': 1}", "found no matching overload for '@in' applied to '(int, map(string, int))'"],
  ["{'a': 1}.all(k, v, v == 'x')", "found no matching overload for '_==_' applied to '(int, string)'"],
  ["{'a': self.o}.a.y == 'x'", "undefined field 'y'"],
  ["[self.o][0].y == 'x'", "undefined field 'y'"],
  ['[self.l][0][0] == 1', "found no matching overload for '_==_' applied to '(string, int)'"],
  ["[[1]] == [['x']]", "found no matching overload for '_==_' applied to '(list(list(int)), list(list(string)))'"],
  ["[[], [1]][1] == ['x']", "found no matching overload for '_==_' applied to '(list(int), list(string))'"],
  ['self.l.map(x, {x: 1})[0] == {1: 1}', "'(map(string, int), map(int, int))'"],
  ["self.l.transformMap(i, v, v) == {'a': 'x'}", "'(map(int, string), map(string, string))'"],
  ["self.l.transformMapEntry(i, v, {v: i}) == {'a': 'x'}", "'(map(string, int), map(string, string))'"],
  [
    "[optional.of(1), optional.of(2)][0] == optional.of('x')",
    "found no matching overload for '_==_' applied to '(optional_type(int), optional_type(string))'",
  ],
  ["[optional.of(1)][0].value() == 'x'", "found no matching overload for '_==_' applied to '(int, string)'"],
  [
    "[optional.of(1)][0].orValue('x') == 'x'",
    "found no matching overload for 'orValue' applied to 'optional_type(int).(string)'",
  ],
  [
    'self.?b.or(optional.of(1)).value() == 1',
    "found no matching overload for 'or' applied to 'optional_type(string).(optional_type(int))'",
  ],
  [
    "[optional.of(1)].map(x, x.value()) == ['x']",
    "found no matching overload for '_==_' applied to '(list(int), list(string))'",
  ],
];

const taken: readonly string[] = [
  "{'a': self.m, 'b': {'x': 1}}.size() == 2",
  "{} == {'a': 1} || {}.a == 1",
  "{'a': {}, 'b': {'x': 1}}.size() == 2",
  "{'a': [], 'b': [[]], 'c': [[1]]}.size() == 1",
  "{'a': optional.none(), 'b': optional.of(1)}.size() == 2",
  "{?'a': self.?b, 'b': 'x'}.size() == 2",
  "{?'a': optional.none(), 'b': 1}.b == 1",
  '{self.is: 1}.size() == 1',
  '[self.is, self.is].size() == 2',
  "[dyn(1), dyn('x')].size() == 2",
  "self.l[self.is] == 'x'",
  "(self.a == 1 ? self.is : 'x') == 'x'",
  "{'a': {'b': 1}}['a']['b'] == 1 && has({'a': 1}.a)",
  "{'a': self.?b}.a.orValue('x') == 'x'",
  "[self.?b, optional.none()][0].orValue('x') == 'x'",
  'self.?b.or(optional.none()).value() == self.b',
  'optional.none().orValue(1) == 1',
  '[[]] + [[1]] == [[1]]',
  "[self.l, [], ['x']].size() == 2 && [self.m, {}].size() == 2",
  "[url('https://a.b').getQuery(), {'a': ['b']}].size() == 1",
  "[self.a == 1 ? 'a' : 'b', 'c'].size() == 2",
  "'%s'.format([{'a': 1, 'b': 'x'}]) == 'a'",
  "'%s'.format([[1, 'x']]) == 'a'",
  "'%s'.format([[1, 'x'].size()]) == 'a'",
];

describe('literals of lists and maps', () => {
  it.each(refused)('that the API server does not take are refused: %s', (rule, words) => {
    expect(() => compileRule(rule)).toThrow(words);
  });

  it.each(taken)('that it takes are taken: %s', (rule) => {
    expect(() => compileRule(rule)).not.toThrow();
  });
});
