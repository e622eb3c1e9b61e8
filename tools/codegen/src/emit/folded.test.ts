import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unfold } from '../runtime/folded-json.ts';
import { fold, foldedLiteral } from './folded.ts';

const long = 'a description that is long enough to be worth a line of its own';

test('what stands twice is written once, before it is referred to', () => {
  const port = { type: 'integer', maximum: 65535, minimum: 1, description: 'x' };
  expect(fold({ http: port, https: port })).toEqual([
    '{"type":"integer","maximum":65535,"minimum":1,"description":"x"}',
    '{"http":~0;,"https":~0;}',
  ]);
});

test('what stands once in what stands twice has no line of its own', () => {
  const port = { name: { description: long, type: 'integer', maximum: 65535, minimum: 1 } };
  expect(fold([port, port])).toEqual([
    `{"description":"${long}","type":"integer","maximum":65535,"minimum":1}`,
    '[{"name":~0;},{"name":~0;}]',
  ]);
});

test('what stands once, or is short, has no line of its own', () => {
  expect(fold({ a: long, b: 'x', c: 'x' })).toEqual([`{"a":"${long}","b":"x","c":"x"}`]);
});

test('any JSON comes back as it was, its keys in their order', { timeout: 60_000 }, () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(long, `${long}~0;`, '~0;', '`${x}`', '\\', '\u2028', '__proto__'),
  );
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.constantFrom(null, true, 0, -0.5, 1e21),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(text, tie('json'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(json, (value) => {
      const twice = [value, { value }];
      const literal = foldedLiteral(twice);
      const folded = new Function(`return ${literal}`)() as string;
      expect(JSON.stringify(unfold(folded))).toBe(JSON.stringify(twice));
      // eslint-disable-next-line no-control-regex -- that there is none is what is shown
      expect(literal).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/);
    }),
    { numRuns: 50 },
  );
});
