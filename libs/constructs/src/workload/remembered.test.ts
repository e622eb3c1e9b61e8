import { expect, test } from 'vitest';
import { remembered } from './remembered.ts';

function counted(): {
  readonly double: (input: { readonly n: number }) => { readonly twice: { n: number } };
  readonly asked: number[];
} {
  const asked: number[] = [];
  const double = remembered(({ n }: { readonly n: number }) => {
    asked.push(n);
    return { twice: { n: 2 * n } };
  });
  return { double, asked };
}

test('what is asked again is not computed again', () => {
  const { double, asked } = counted();
  expect(double({ n: 1 })).toEqual({ twice: { n: 2 } });
  expect(double({ n: 1 })).toBe(double({ n: 1 }));
  expect(double({ n: 2 })).toEqual({ twice: { n: 4 } });
  expect(asked).toEqual([1, 2]);
});

test('no caller can change what others get', () => {
  const { double } = counted();
  expect(() => (double({ n: 1 }).twice.n = 5)).toThrow(TypeError);
});

test('only the latest are remembered', () => {
  const { double, asked } = counted();
  for (let n = 0; n < 1000; n += 1) double({ n });
  double({ n: 999 });
  double({ n: 0 });
  expect(asked).toHaveLength(1001);
});
