import { expect, test } from 'vitest';
import type { PlannedWrite } from './pretend.ts';
import { shownPlan } from './shown.ts';

const shown = (write: PlannedWrite): unknown =>
  shownPlan({ kind: 'CloudDatabase', namespace: 'shop', name: 'orders', steps: [], supposing: [], writes: [write] })
    .writes[0]?.body;

test.each(['/api/v1/namespaces/shop/secrets', '/api/v1/namespaces/shop/secrets/orders-connection'])(
  'the values of a Secret are left out of a plan: %s',
  (path) => {
    const body = { metadata: { name: 'orders-connection' }, data: { password: 'c2VjcmV0' }, stringData: { a: 'b' } };
    expect(shown({ method: 'PATCH', path, body })).toEqual({
      ...body,
      ...{ data: { password: '[hidden]' }, stringData: { a: '[hidden]' } },
    });
  },
);

test('and those of no other object', () => {
  const body = { data: { 'start.sh': 'exec redis-server' } };
  expect(shown({ method: 'PATCH', path: '/api/v1/namespaces/shop/configmaps/secrets', body })).toEqual(body);
});
