import type { KubernetesObject } from '@ordinal/client';
import { describe, expect, it } from 'vitest';
import { Store } from './store.ts';

const configMap = (name: string, secret: string, resourceVersion: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace: 'shop',
    uid: name,
    resourceVersion,
    creationTimestamp: '2026-11-21T00:00:00Z',
    labels: { secret },
  },
});

const bySecret = ({ metadata }: KubernetesObject): string[] => [metadata.labels?.['secret'] ?? ''];

it('lists the objects of a namespace in the order in which they came, also after they have changed', () => {
  const store = new Store();
  store.put(configMap('one', 'a', '1'), true);
  store.put(configMap('two', 'a', '2'), true);
  store.put(configMap('one', 'b', '3'), false);
  expect([...store.keys('shop')]).toEqual(['shop/one', 'shop/two']);
});

describe('an index of a store', () => {
  it('counts what it files under a value, as it changes and goes', () => {
    const store = new Store();
    store.addIndex('bySecret', bySecret);
    store.put(configMap('one', 'account', '1'), true);
    store.put(configMap('two', 'account', '2'), true);
    expect(store.countByIndex('bySecret', 'account')).toBe(2);
    store.put(configMap('two', 'other', '3'), false);
    expect(store.countByIndex('bySecret', 'account')).toBe(1);
    store.remove('shop/one');
    expect(store.countByIndex('bySecret', 'account')).toBe(0);
    expect(store.byIndex('bySecret', 'other').map(({ metadata }) => metadata.name)).toEqual(['two']);
  });

  it('that was not declared is refused, whether one asks for objects or for their number', () => {
    const store = new Store();
    expect(() => store.countByIndex('bySecret', 'account')).toThrow('there is no index bySecret');
    expect(() => store.byIndex('bySecret', 'account')).toThrow('there is no index bySecret');
  });
});
