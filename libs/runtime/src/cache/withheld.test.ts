import { afterEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '@ordinal/client';
import { Registry } from 'prom-client';
import { awaitChange, controller, mapTo } from '../index.ts';
import type { Manager } from '../index.ts';
import { observeManager } from '../observability/index.ts';
import { parts, widget, widgets, world } from '../../test/world.ts';
import { CacheBudget } from './budget.ts';
import { Store } from './store.ts';

const configMap = (name: string, bytes: number, resourceVersion: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace: 'shop',
    uid: name,
    resourceVersion,
    creationTimestamp: '2026-11-21T00:00:00Z',
    annotations: { filling: 'x'.repeat(bytes) },
    labels: { app: name },
  },
});
const byName = ({ metadata }: KubernetesObject): string[] => [metadata.name];
const kib = 1024;

describe('a store with a budget', () => {
  const store = (): Store => new Store(new CacheBudget({ objectBytes: 100 * kib, totalBytes: 200 * kib }));

  it('withholds what is too large, and never shows it as absent', () => {
    const one = store();
    one.addIndex('byName', byName);
    one.put(configMap('large', 101 * kib, '1'), true);
    expect(() => one.get('shop/large')).toThrow(/ConfigMap shop\/large takes 1\d{5} bytes/);
    expect(() => one.byIndex('byName', 'large')).toThrow('make it smaller');
    expect(() => [...one.objects('shop', {})]).toThrow('make it smaller');
    expect(() => [...one.objects('shop', { app: 'large' })]).toThrow('make it smaller');
    expect({ ...counts(one), uid: one.uidAt('shop/large'), revision: one.revisionAt('shop/large') }).toEqual({
      size: 1,
      withheld: 1,
      bytes: 0,
      indexed: 1,
      uid: 'large',
      revision: '1',
    });
  });

  it('blinds neither those who look elsewhere nor those who look at all', () => {
    const one = store();
    one.put(configMap('large', 101 * kib, '1'), true);
    one.put(configMap('small', kib, '2'), true);
    expect([...one.objects('shop', { app: 'small' })]).toHaveLength(1);
    expect([...one.objects(undefined, {})]).toHaveLength(1);
  });

  it('takes an object in again that has become smaller, or that is listed when there is room', () => {
    const one = store();
    one.addIndex('byName', byName);
    expect(one.put(configMap('large', 101 * kib, '1'), true)).toMatchObject({ type: 'added' });
    expect(one.put(configMap('large', kib, '2'), false)).toMatchObject({ type: 'updated', partial: true });
    expect(one.get('shop/large')?.metadata.resourceVersion).toBe('2');
    one.put(configMap('a', 90 * kib, '3'), true);
    one.put(configMap('b', 90 * kib, '4'), true);
    one.put(configMap('c', 90 * kib, '5'), true);
    one.put(configMap('d', 10 * kib, '6'), true); // Small ones always have a place.
    expect(one.withheld).toBe(1);
    one.remove('shop/a');
    one.put(configMap('c', 90 * kib, '5'), true);
    expect(one.withheld).toBe(0);
    for (const key of [...one.keys()]) one.remove(key);
    expect(counts(one)).toEqual({ size: 0, withheld: 0, bytes: 0, indexed: 0 });
  });
});

const counts = (store: Store) => ({
  size: store.size,
  withheld: store.withheld,
  bytes: store.bytes,
  indexed: store.countByIndex('byName', 'large'),
});

const started: Manager[] = [];
afterEach(async () => {
  for (const manager of started.splice(0)) await manager.stop();
});

describe('a manager whose caches are bounded', () => {
  it('fails what needs an object that is too large, until it is smaller or gone, and says so', async () => {
    const the = world();
    const { user, clock } = the;
    const ofShop = user(parts).namespace('shop');
    await user(widgets).namespace('shop').create(widget('a'));
    const outcomes: string[] = [];
    const manager = the.manager({ cacheLimits: { objectBytes: 10 * kib } });
    const registry = new Registry();
    observeManager(registry, manager, clock);
    manager.add(
      controller('widgets')
        .for(widgets)
        .watches(
          parts,
          mapTo(({ data }) => [{ namespace: 'shop', name: data?.['for'] ?? '' }]),
        )
        .reconcile(async (_key, { cache }) => {
          try {
            outcomes.push(cache.list(parts, { namespace: 'shop' }).length.toString());
          } catch (error) {
            outcomes.push((error as { code: string }).code);
            throw error;
          }
          return awaitChange();
        }),
    );
    started.push(manager);
    void manager.start();
    await clock.advance(1000);
    const large = { for: 'a', filling: 'x'.repeat(11 * kib) };
    await ofShop.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'part' }, data: large });
    await clock.advance(100);
    expect(outcomes).toEqual(['0', 'ObjectTooLarge']);
    expect(manager.caches().find(({ kind }) => kind === 'configmaps')).toMatchObject({ objects: 1, withheld: 1 });
    const counted = 'ordinal_cache_withheld_objects{kind="configmaps"}';
    expect(await registry.metrics()).toContain(`${counted} 1`);
    expect(the.log.filter((line) => line.includes('too large to be kept'))).toHaveLength(1);
    outcomes.length = 0;
    await ofShop.patch('part', { type: 'merge', body: { data: { filling: null } } });
    await clock.advance(100);
    expect(outcomes).toEqual(['1']);
    await ofShop.patch('part', { type: 'merge', body: { data: { filling: 'x'.repeat(11 * kib) } } });
    await clock.advance(100);
    await ofShop.delete('part');
    await clock.advance(100);
    expect(outcomes.at(-1)).toBe('0');
    expect(await registry.metrics()).toContain(`${counted} 0`);
  });
});
