import { expect, test } from 'vitest';
import { withoutTrailingSlashes } from './base-url.ts';

test.each([
  ['https://a.example', 'https://a.example'],
  ['https://a.example/v1//', 'https://a.example/v1'],
  ['//', ''],
  ['', ''],
])('%j without slashes at its end', (url, base) => {
  expect(withoutTrailingSlashes(url)).toBe(base);
});

// Where an expression tries the run of slashes from each of them, this takes minutes.
test('many slashes that are not the end are one pass', () => {
  const url = `https://a.example${'/'.repeat(1024 * 1024)}x`;
  expect(withoutTrailingSlashes(url)).toBe(url);
});
