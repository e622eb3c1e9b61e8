import { expect, test } from 'vitest';
import { onlyAsSeen } from './action.ts';

test('an object is applied over what was seen only, not over what has become of it', () => {
  const seen = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'shop', namespace: 'default', uid: 'u-1', resourceVersion: '7', creationTimestamp: '' },
  };
  const wanted = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'shop', labels: { team: 'web' } } };
  expect(onlyAsSeen(wanted, seen)).toEqual({
    ...wanted,
    metadata: { name: 'shop', labels: { team: 'web' }, uid: 'u-1', resourceVersion: '7' },
  });
});
