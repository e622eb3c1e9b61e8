import type { Case, Json } from '../case.ts';
import { widget, withWidgets } from './widgets.ts';
import type { WidgetCase } from './widgets.ts';

const applyCases: Readonly<Record<string, WidgetCase>> = {
  'apply and conflict': async (s, d) => {
    await s.apply(`${d.path}/a`, widget(d, 'a', { image: 'a:1' }));
    await s.apply(`${d.path}/a`, widget(d, 'a', { image: 'a:2' }), { manager: 'second' });
    await s.apply(`${d.path}/a`, widget(d, 'a', { image: 'a:2' }), { manager: 'second', force: true });
    await s.apply(`${d.path}/a`, widget(d, 'a'));
  },
  'apply of keyed lists': async (s, d) => {
    await s.apply(`${d.path}/a`, widget(d, 'a', { gates: [{ name: 'one' }, { name: 'two', timeout: 9 }] }));
    await s.apply(`${d.path}/a`, widget(d, 'a', { gates: [{ name: 'three' }, { name: 'two', path: '/x' }] }), {
      manager: 'second',
    });
    await s.apply(`${d.path}/a`, widget(d, 'a', { gates: [{ name: 'one' }] }));
    await s.apply(`${d.path}/a`, widget(d, 'a'), { manager: 'second' });
  },
  'apply of sets': async (s, d) => {
    await s.apply(`${d.path}/a`, widget(d, 'a', { zones: ['a', 'b'] }));
    await s.apply(`${d.path}/a`, widget(d, 'a', { zones: ['c'] }), { manager: 'second' });
    await s.apply(`${d.path}/a`, widget(d, 'a', { zones: ['b'] }));
  },
  'apply of atomic maps and free fields': async (s, d) => {
    await s.apply(
      `${d.path}/a`,
      widget(d, 'a', { affinity: { a: '1' }, options: { x: { y: 1 }, list: [1] }, labels: { k: 'v' } }),
    );
    await s.apply(`${d.path}/a`, widget(d, 'a', { affinity: { b: '2' } }), { manager: 'second' });
    await s.apply(`${d.path}/a`, widget(d, 'a', { options: { x: { z: 2 }, list: [2] }, labels: { m: 'n' } }), {
      manager: 'second',
    });
    await s.apply(`${d.path}/a`, widget(d, 'a', { options: { x: { z: 2 } }, labels: { m: 'n' } }), {
      manager: 'second',
    });
    await s.apply(`${d.path}/a`, widget(d, 'a', {}));
  },
  'apply of a status': async (s, d) => {
    await s.apply(`${d.path}/a`, widget(d, 'a'));
    const status = (conditions: readonly Json[]): Json => ({
      apiVersion: `${d.group}/v1`,
      kind: 'Widget',
      metadata: { name: 'a' },
      status: { conditions },
    });
    await s.apply(`${d.path}/a/status`, status([{ type: 'Ready', status: 'True' }]), { manager: 'operator' });
    await s.apply(`${d.path}/a/status`, status([{ type: 'Synced', status: 'True' }]), { manager: 'other' });
    await s.apply(`${d.path}/a/status`, status([{ type: 'Ready', status: 'False' }]), { manager: 'operator' });
    await s.apply(`${d.path}/a/status`, status([]), { manager: 'other' });
  },
  'apply of what has gone, by its uid': async (s, d) => {
    const uid = '0b5e1c5e-6a52-4c5f-9d5e-3f1d0a4c8f11';
    await s.apply(`${d.path}/a`, widget(d, 'a', {}, { metadata: { name: 'a', uid } }));
    await s.apply(`${d.path}/a`, widget(d, 'a', {}, { metadata: { name: 'a', uid, resourceVersion: '1' } }));
    await s.apply(`${d.path}/a`, widget(d, 'a', {}, { metadata: { name: 'a', resourceVersion: '1' } }));
  },
  'apply of wrong fields': async (s, d) => {
    await s.apply(`${d.path}/a`, widget(d, 'a', { unknown: 1 }));
    await s.apply(`${d.path}/a`, widget(d, 'a', { replicas: 'x' }));
    await s.apply(`${d.path}/a`, widget(d, 'a', { replicas: 100 }));
  },
};

/** Custom kinds that are applied: conflicts, keyed lists, sets, atomic maps, status. */
export const appliedWidgetCases: readonly Case[] = withWidgets(applyCases);
