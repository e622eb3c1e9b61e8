import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { Verdicts } from './verdicts.ts';

const key = createSecretKey(Buffer.alloc(32, 'one'));
const other = createSecretKey(Buffer.alloc(32, 'two'));
const metadataOf = (uid: string) => Object.freeze({ name: 'one', uid, resourceVersion: '1', creationTimestamp: '' });
const metadata = metadataOf('u1');
const status = Object.freeze({ seal: 'x' });

/** How often it is verified when this is asked after the status above. */
function verified(next: { metadata: typeof metadata; status: object }, keys: readonly (typeof key)[] = [key]): number {
  const verdicts = new Verdicts();
  let times = 0;
  const verify = (): boolean => (times += 1) > 0;
  verdicts.of({ metadata, status }, [key], verify);
  expect(verdicts.of(next, keys, verify)).toBe(true);
  return times;
}

test('a frozen status is verified once', () => {
  expect(verified({ metadata, status })).toBe(1);
});

test.each([
  ['another status that says the same', { metadata, status: Object.freeze({ ...status }) }, [key]],
  ['the same status in another object', { metadata: metadataOf('u2'), status }, [key]],
  ['another key', { metadata, status }, [other]],
  ['one key more', { metadata, status }, [key, other]],
])('%s is verified again', (_what, next, keys) => {
  expect(verified(next, keys)).toBe(2);
});

test('a status that can still change is verified each time', () => {
  const verdicts = new Verdicts();
  const changing = { seal: 'x' };
  expect(verdicts.of({ metadata, status: changing }, [key], () => true)).toBe(true);
  expect(verdicts.of({ metadata, status: changing }, [key], () => false)).toBe(false);
});
