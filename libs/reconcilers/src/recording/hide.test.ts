import { expect, test } from 'vitest';
import { hiding } from './hide.ts';

const hide = hiding((text) => `[hidden ${text.length}]`);

test('what has nothing to hide comes back itself: no copy is made', () => {
  const object = { kind: 'Pod', metadata: { name: 'a', annotations: { 'ordinal.dev/paused': 'true' } }, list: [{}] };
  expect(hide(object)).toBe(object);
});

test('where something is hidden, what stands around it is the same, and the object is left as it was', () => {
  const inside = { image: 'cache:1' };
  const object = Object.freeze({ env: Object.freeze([{ name: 'A', value: 'one' }, inside]), password: 'four', n: 1 });
  expect(hide(object)).toEqual({ env: [{ name: 'A', value: '[hidden 3]' }, inside], password: '[hidden 4]', n: 1 });
  expect(object).toMatchObject({ env: [{ value: 'one' }, inside], password: 'four' });
});

test('a template in an annotation is hidden whole where something in it is to be', () => {
  const annotated = (json: string) => hide({ annotations: { 'ordinal.dev/template': json } });
  const quiet = '{"image":"cache:1"}';
  expect(annotated(quiet)).toEqual({ annotations: { 'ordinal.dev/template': quiet } });
  expect(annotated('{"token":"abc"}')).toEqual({ annotations: { 'ordinal.dev/template': '[hidden 15]' } });
});

test('a name that was asked about a thousand names ago still tells', () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field-${index}`, 'x']));
  expect(hide({ ...many, token: 'abc' })).toMatchObject({ token: '[hidden 3]' });
  expect(hide({ token: 'abc', name: 'abc' })).toEqual({ token: '[hidden 3]', name: 'abc' });
});

test.each(['authorization: hunter2', '//user:pw@host', 'pa\u001B[0mssword=hunter2'])('%j is hidden', (text) => {
  expect(hide({ message: text })).toEqual({ message: `[hidden ${text.length}]` });
});
