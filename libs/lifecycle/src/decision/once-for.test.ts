import { expect, test } from 'vitest';
import { onceFor } from './once-for.ts';

test('what is asked of the same object again is not computed again, of an equal one it is', () => {
  const asked: number[] = [];
  const double = onceFor(({ n }: { readonly n: number }) => {
    asked.push(n);
    return n === 0 ? undefined : n * 2;
  });
  const [one, none] = [{ n: 1 }, { n: 0 }];
  expect([double(one), double(one), double(none), double(none), double({ n: 1 })]).toEqual([
    2,
    2,
    undefined,
    undefined,
    2,
  ]);
  expect(asked).toEqual([1, 0, 1]);
});
