import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ItemSplitter } from './item-splitter.ts';
import { LineSplitter } from './line-splitter.ts';

function split(
  text: string,
  cuts: readonly number[] = [],
): { readonly items: readonly string[]; readonly envelope: string } {
  const bytes = Buffer.from(text);
  const splitter = new ItemSplitter();
  const items: string[] = [];
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let from = 0;
  for (const to of places) {
    items.push(...splitter.push(bytes.subarray(from, to)));
    from = to;
  }
  return { items, envelope: splitter.end() };
}

describe('the item splitter', () => {
  it('finds the items wherever the bytes are cut', () => {
    const long = fc.string({ unit: fc.constantFrom('a', '"', '\\'), minLength: 30, maxLength: 90 });
    const field = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      long,
      fc.constantFrom('items', '"', '\\', '{"items":[', ']}'),
    );
    const item = fc.record({
      metadata: fc.record({ name: field }),
      items: fc.array(fc.dictionary(field, field, { maxKeys: 3 }), { maxLength: 3 }),
    });
    const list = fc.record({
      kind: field,
      metadata: fc.dictionary(field, field),
      items: fc.array(item),
      tail: fc.jsonValue({ maxDepth: 2 }),
    });
    fc.assert(
      fc.property(list, fc.array(fc.nat(), { maxLength: 6 }), fc.constantFrom(0, 2), (value, cuts, indent) => {
        // As text, so that nothing but the splitter is tested; a string in JSON holds no raw line end.
        expect(split(JSON.stringify(value, null, indent), cuts)).toEqual({
          items: value.items.map((entry) => JSON.stringify(entry, null, indent).replaceAll('\n', '\n    ')),
          envelope: JSON.stringify({ ...value, items: [] }, null, indent),
        });
      }),
      { numRuns: 400 },
    );
  });

  it('takes a list without items', () => {
    const text = '{"metadata":{"resourceVersion":"1"},"items":null}';
    expect(split(text)).toEqual({ items: [], envelope: text });
  });

  it.each(['{"items":[1]}', '{"items":["a"]}', '{"items":[[]]}', '{"items":[null]}', '{"items":[}'])(
    'refuses %s',
    (text) => {
      expect(() => split(text)).toThrow('not objects');
    },
  );

  it('refuses a list that ended in its items', () => {
    expect(() => split('{"items":[{"a":1},')).toThrow('ended in the middle');
  });

  it('does not hold what is longer than any object, wherever it stands', () => {
    const mebibyte = Buffer.alloc(1024 * 1024, 0x61);
    for (const head of ['{"a":"', '{"items":[{"a":1},{"a":"', '{"items":[],"a":"']) {
      const splitter = new ItemSplitter();
      splitter.push(Buffer.from(head));
      expect(() => {
        for (let count = 0; count < 20; count += 1) splitter.push(mebibyte);
      }).toThrow('more than 16777216 bytes');
    }
    const lines = new LineSplitter();
    expect(() => {
      for (let count = 0; count < 20; count += 1) lines.push(mebibyte);
    }).toThrow('more than 16777216 bytes');
  });

  it('takes a list of any length whose items are no longer than an object', () => {
    const splitter = new ItemSplitter();
    splitter.push(Buffer.from('{"items":['));
    const item = Buffer.from(`{"a":"${'a'.repeat(1024 * 1024)}"},`);
    let count = 0;
    for (let sent = 0; sent < 40; sent += 1) count += splitter.push(item).length;
    expect(count).toBe(40);
  });
});
