import { expect, test } from 'vitest';
import { isOpened, openedIn } from './opened.ts';

const annotation = 'example.com/open-gates';

test.each<[string | undefined, readonly string[]]>([
  [undefined, []],
  ['', []],
  ['uid-1', ['uid-1']],
  ['uid-1,uid-2', ['uid-1', 'uid-2']],
  [' uid-1 , uid-2,', ['uid-1', 'uid-2']],
])('the annotation %j opens the gates of %j', (value, uids) => {
  const metadata = value === undefined ? {} : { annotations: { [annotation]: value } };
  expect(openedIn({ metadata }, annotation)).toEqual(uids);
});

test('gates are open for each member that is listed, and for no other', () => {
  const openedFor = ['uid-1', 'uid-2'];
  const isOpen = (uid: string): boolean => isOpened({ uid }, { openedFor });
  expect(['uid-1', 'uid-2', 'uid-3', 'uid'].map(isOpen)).toEqual([true, true, false, false]);
  expect(isOpened({ uid: 'uid-1' }, {})).toBe(false);
});
