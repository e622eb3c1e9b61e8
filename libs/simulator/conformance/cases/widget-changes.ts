import type { Case } from '../case.ts';
import { definitions, narrow, settled, widget, withWidgets } from './widgets.ts';
import type { WidgetCase } from './widgets.ts';

const changeCases: Readonly<Record<string, WidgetCase>> = {
  'finalizers and deletion': async (s, d) => {
    await s.create(d.path, { ...widget(d, 'a'), metadata: { name: 'a', finalizers: ['example.com/stay'] } });
    await s.delete(`${d.path}/a`);
    await s.merge(`${d.path}/a`, { spec: { replicas: 5 } });
    await s.merge(`${d.path}/a`, { metadata: { finalizers: ['example.com/stay', 'example.com/late'] } });
    await s.merge(`${d.path}/a`, { metadata: { finalizers: [] } });
    await s.get(`${d.path}/a`);
    await s.create(d.path, widget(d, 'b'));
    await s.delete(`${d.path}/b`);
  },
  'metadata of a custom object': async (s, d) => {
    await s.create(d.path, {
      ...widget(d, 'a'),
      metadata: { name: 'a', labels: {}, annotations: { a: 'b' }, unknown: 1, finalizers: ['short'] },
    });
    await s.create(d.path, { ...widget(d, 'Bad_Name') });
    await s.create(d.path, { ...widget(d, 'b'), metadata: { name: 'b', labels: { a: 1 } } });
  },
  'ratcheting: what was wrong already may stay': async (s, d) => {
    await s.create(d.path, widget(d, 'a', { replicas: 9, image: 'a:1', mode: 'Single', zones: ['a'] }));
    await s.create(d.path, widget(d, 'b', { gates: [{ name: 'one', timeout: 600 }] }));
    await narrow(s, d);
    await s.merge(`${d.path}/a`, { metadata: { labels: { still: 'here' } } });
    await s.merge(`${d.path}/a`, { spec: { image: 'a:2' } });
    await s.merge(`${d.path}/a`, { spec: { zones: ['a', 'b'] } });
    await s.merge(`${d.path}/a`, { spec: { replicas: 8 } });
    await s.merge(`${d.path}/a`, { spec: { replicas: 3 } });
    await s.merge(`${d.path}/a`, { spec: { replicas: 9 } });
    await s.merge(`${d.path}/b`, { spec: { gates: [{ name: 'one', timeout: 600, path: '/x' }] } });
    await s.merge(`${d.path}/b`, { spec: { gates: [{ name: 'one', timeout: 500 }] } });
    await s.merge(`${d.path}/b`, {
      spec: {
        gates: [
          { name: 'one', timeout: 600 },
          { name: 'two', timeout: 600 },
        ],
      },
    });
    await s.create(d.path, widget(d, 'c', { replicas: 9 }));
  },
  'ratcheting: what was wrong already is accepted with a warning': async (s, d) => {
    await s.create(d.path, widget(d, 'a', { mode: 'Quorum' }));
    await narrow(s, d);
    await s.merge(`${d.path}/a`, { metadata: { labels: { still: 'here' } } });
    await s.merge(`${d.path}/a`, { metadata: { labels: { still: 'here' } } });
    await s.merge(`${d.path}/a?dryRun=All`, { metadata: { labels: { other: 'there' } } });
    await s.merge(`${d.path}/a/status`, { status: { replicas: 1 } });
    await s.apply(`${d.path}/a`, { ...widget(d, 'a'), spec: {}, metadata: { name: 'a', labels: { applied: 'yes' } } });
    await s.merge(`${d.path}/a`, { spec: { image: 'b:1' } });
    await s.merge(`${d.path}/a`, { spec: { mode: 'Single' } });
    await s.merge(`${d.path}/a`, { metadata: { labels: { still: null } } });
  },
  'a transition rule with apply and status': async (s, d) => {
    await s.apply(`${d.path}/a`, widget(d, 'a', { engine: 'one' }));
    await s.apply(`${d.path}/a`, widget(d, 'a', { engine: 'two' }));
    await s.apply(`${d.path}/a`, widget(d, 'a'));
    await s.apply(`${d.path}/a`, widget(d, 'a', { engine: 'three' }));
    await s.merge(`${d.path}/a/status`, { status: { phase: 'Ready' } });
    await s.json(`${d.path}/a`, [{ op: 'replace', path: '/spec/engine', value: 'four' }]);
  },
  'the definition is deleted': async (s, d) => {
    await s.create(d.path, { ...widget(d, 'held'), metadata: { name: 'held', finalizers: ['example.com/stay'] } });
    await s.create(d.path, widget(d, 'free'));
    const path = `${definitions}/widgets.${d.group}`;
    await s.delete(path);
    await settled(s, path, 'InstanceDeletionInProgress');
    await s.get(path);
    await s.get(`${d.path}/free`);
    await s.create(d.path, widget(d, 'late'));
    await s.apply(`${d.path}/late`, widget(d, 'late'));
    await s.merge(`${d.path}/held`, { spec: { replicas: 5 } });
    await s.merge(`${d.path}/held`, { metadata: { finalizers: null } });
    await settled(s, path, undefined);
    await s.get(path);
    await s.get(d.path);
  },
};

/** What becomes of custom objects: metadata, rules that compare, ratcheting, deletion, the end of the definition. */
export const widgetChangeCases: readonly Case[] = withWidgets(changeCases);
