import { describe, expect, test } from 'vitest';
import { sourceOf } from './leaves.ts';
import { Mutable } from './mutate.ts';

const words = (text: string): string =>
  sourceOf(text)
    .leaves.map((leaf) => leaf.text)
    .join(' ');
const mutated = (text: string, find: string, replace: string): string =>
  words(new Mutable('x.ts', text).mutate({ find, replace }));
const fault = (text: string, find: string, replace: string): string | undefined =>
  new Mutable('x.ts', text).faultOf({ find, replace });

describe('a mutation finds its place', () => {
  test.each([
    ['in other lines, with comments between', 'g(a, // first\n  b,\n);', 'g(a, b)', 'g(b, a)', 'g(b,a,);'],
    ['in other quotes', 'f("it");', "f('it')", "f('no')", "f('no');"],
    [
      'where every name is another one',
      'if (seen.ready) stop(seen);',
      'if (a.b) c(a);',
      'if (!a.b) c(a);',
      'if(!seen.ready)stop(seen);',
    ],
    ['where it is cut anywhere', 'const x = a && b.c(d) ? 1 : 2;', '&& e.f(g)', '', 'const x = a ? 1 : 2;'],
    [
      'where a variable of a short entry has another name',
      'f({ name: other, age });',
      '{ name, age }',
      '{ age }',
      'f({age});',
    ],
    [
      'where a property of a short parameter has another name',
      'xs.map(({ ok: ready }) => ready);',
      '({ ok }) => ok',
      '({ ok }) => !ok',
      'xs.map(({ok: ready})=> !ready);',
    ],
    ['in a text with gaps', 'f(`a ${b} c`);', '`a ${x} c`', '`a ${!x} c`', 'f(`a ${!b} c`);'],
    [
      'with types that close two lists',
      'let a: Map<string, Set<number>> = b;',
      'Map<string, Set<number>>',
      'Map<string, number>',
      'let a: Map<string,number> = b;',
    ],
    [
      'within one literal',
      "const rule = 'sum by (kind) (total) > 0';",
      'by (kind)',
      'by (name)',
      "const rule = 'sum by (name) (total) > 0';",
    ],
  ])('%s', (...[, text, find, replace, expected]) => {
    expect(mutated(text, find, replace)).toBe(words(expected));
  });

  test('what it has in common with the mistake keeps its comments', () => {
    const text = 'f(a /* why */, b);';
    expect(new Mutable('x.ts', text).mutate({ find: 'f(a, b)', replace: 'f(a, !b)' })).toContain('a /* why */');
  });

  test('with its own names first, where others have the same shape', () => {
    expect(mutated('f(a); g(b);', 'g(b)', 'g(!b)')).toBe(words('f(a); g(!b);'));
  });

  test('in a file that is no program by its words', () => {
    const yaml = new Mutable('x.yaml', '- name: Version\n  type: string\n');
    expect(yaml.mutate({ find: '- name: Version type: string', replace: '- name: Image' })).toBe('- name: Image\n');
  });
});

describe('a mutation is refused', () => {
  test.each([
    ['without a place', 'f(a);', 'f(a, b)', 'f(b)', 'x.ts: 0 places, and not one, for: f(a, b)'],
    ['with two', 'f(a); f(a);', 'f(a)', 'f()', 'x.ts: 2 places, and not one, for: f(a)'],
    [
      'whose place a rename could double',
      'f(a); g(b);',
      'f(a)',
      'f()',
      'x.ts: 2 places have this shape, and only names tell them apart; lengthen: f(a)',
    ],
    ['that changes nothing', 'f(a);', 'f(a)', 'f(a)', 'x.ts: the edit changes nothing: f(a)'],
    ['that leaves no program', 'f(a);', 'f(a)', 'f(a', "x.ts: what it leaves is no program: ')' expected. f(a"],
    [
      'that speaks of what the file does not have',
      'f(a);',
      'f(a)',
      'f(other)',
      'x.ts: has no other, of which this speaks: f(other)',
    ],
  ])('%s', (...[, text, find, replace, expected]) => {
    expect(fault(text, find, replace)).toBe(expected);
  });

  test('that speaks of a member that nothing has', () => {
    const edit = { find: 'f(a)', replace: 'f(a.gone)' };
    expect(new Mutable('x.ts', 'f(a);').faultOf(edit, () => false)).toContain('has no gone, of which this speaks');
    expect(new Mutable('x.ts', 'f(a);').faultOf(edit, (name) => name === 'gone')).toBeUndefined();
  });

  test.each([
    ['names of the platform', 'f(a);', 'f(a)', 'f(Math.max(a, 1))'],
    ['names that it declares itself', 'f(xs);', 'f(xs)', 'f(xs.map((x) => x))'],
    ['names of the file', 'const other = 1; f(a);', 'f(a)', 'f(other)'],
  ])('but not for %s', (_, text, find, replace) => {
    expect(fault(text, find, replace)).toBeUndefined();
  });
});
