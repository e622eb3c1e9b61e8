import { replay } from '@ordinal/testing';
import { expect, test } from 'vitest';
import { rollback } from './scenarios.ts';
test('a rollback finds its way although the StatefulSet that kept it was deleted', async () => {
  const { violations } = await replay({
    ...rollback,
    seed: 1,
    faults: [{ fault: 'user', at: { when: 'after', write: 22 }, action: 'delete the StatefulSet, and leave its pods' }],
  });
  expect(violations).toEqual([]);
}, 100_000);
