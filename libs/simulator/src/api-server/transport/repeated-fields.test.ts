import { expect, it } from 'vitest';
import { placesOf, repeatedFields } from './repeated-fields.ts';
import { readYamlText } from './yaml-text.ts';

const repeated = (text: string): readonly string[] => repeatedFields(text, JSON.parse(text));

it('finds fields that are given twice, at any depth, once each', () => {
  expect(repeated('{"a":1,"b":{"c":[{"d":1,"d":2,"d":3}]},"a":2}')).toEqual([
    'duplicate field "b.c[0].d"',
    'duplicate field "a"',
  ]);
});

it('takes no text, space or escape for a field', () => {
  expect(repeated('{ "a" : "b\\",\\"a\\":1" , "c": ["a", "a"], "d": {"a": 1}, "e": [{"a": 1}, {"a": 1}] }')).toEqual(
    [],
  );
  expect(repeated('{"\\u0061":1,"a":2}')).toEqual(['duplicate field "a"']);
});

it('knows where in the text an unknown field or one that is given twice is found', () => {
  const places = placesOf('{"a":1,"x":2,"a":3,"y":{"z":1}}');
  expect([...places].sort(([, left], [, right]) => left - right).map(([problem]) => problem)).toEqual(
    ['unknown "a"', 'unknown "x"', 'duplicate "a"', 'unknown "y"', 'unknown "y.z"'].map((text) =>
      text.replace(' ', ' field '),
    ),
  );
});

it('names the line of YAML in which a key comes again', () => {
  expect(readYamlText('a: 1\nb:\n  c: 1\n  "c": 2\n')).toEqual({
    value: { a: 1, b: { c: 2 } },
    repeated: ['line 4: key "c" already set in map'],
  });
});
