import { statefulSets } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { describeAction } from './plan.ts';

describe('an action in one line', () => {
  test('never shows a password of a call, however deep it lies', () => {
    const call = { verb: 'create', token: 't-1', desired: { username: 'ordinal', password: 'open sesame' } };
    const line = describeAction({ kind: 'call', call, because: 'there is no database yet' });
    expect(line).not.toContain('open sesame');
    expect(line).toContain('"password":"(left out)"');
  });

  test('shows the rest of a call, its token among it', () => {
    const call = { endpoint: 'http://monitor', call: { verb: 'delete', id: 'mon-1', token: 't-1' } };
    expect(describeAction({ kind: 'call', call, because: 'it goes' })).toBe(`call ${JSON.stringify(call)}`);
  });

  test('leaves out who manages which field', () => {
    const metadata = { managedFields: [{ manager: 'helm', operation: 'Apply' }], labels: { tier: 'cache' } };
    const target = { namespace: 'shop', name: 'sessions', uid: 'u-1', resourceVersion: '7', finalizers: [] };
    const line = describeAction({
      ...{ kind: 'patch', descriptor: statefulSets, target, fields: { metadata }, because: 'it is taken over' },
    });
    expect(line).toBe('patch StatefulSet shop/sessions: {"metadata":{"labels":{"tier":"cache"}}}');
  });
});
