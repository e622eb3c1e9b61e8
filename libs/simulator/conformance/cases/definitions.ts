import type { Case, Json, Session } from '../case.ts';
import { widget, withWidgets } from './widgets.ts';
import type { Definition, WidgetCase } from './widgets.ts';

const creations: Readonly<Record<string, Json>> = {
  'with defaults': {},
  'with defaults inside lists': { gates: [{ name: 'a' }, { name: 'b', timeout: 5 }] },
  'with a null that has a default': { storage: null, mode: null },
  'with a nullable null': { storage: { className: null } },
  'with unknown fields': { unknown: 1, gates: [{ name: 'a', extra: true }] },
  'with preserved fields': { options: { anything: { nested: [1, 'two', null] } } },
  'with too many replicas': { replicas: 12 },
  'with a wrong type': { replicas: 'three' },
  'with a float': { replicas: 1.5 },
  'with a wrong enum': { mode: 'Sometimes' },
  'with a wrong pattern': { image: 'NOT VALID' },
  'with a long string': { image: 'a'.repeat(50) },
  'with a broken rule': { mode: 'Quorum', replicas: 2 },
  'with twin keys': { gates: [{ name: 'a' }, { name: 'a' }] },
  'with a missing key': { gates: [{ path: '/x' }] },
  'with twin set items': { zones: ['a', 'b', 'a'] },
  'with an int or string': { port: 'http' },
  'with an object for an int or string': { port: {} },
  'with a number as a label': { labels: { a: 1 } },
  'with several mistakes': { replicas: -1, mode: 'X', image: 'A', gates: [{ name: 'a', timeout: 0 }] },
};

const objectCases: Readonly<Record<string, WidgetCase>> = {
  ...Object.fromEntries(
    Object.entries(creations).map(([title, spec]) => [
      `create ${title}`,
      async (s: Session, d: Definition) => {
        await s.create(d.path, widget(d, 'a', spec));
      },
    ]),
  ),
  'without a required field': async (s, d) => {
    await s.create(d.path, { apiVersion: `${d.group}/v1`, kind: 'Widget', metadata: { name: 'a' }, spec: {} });
    await s.create(d.path, { apiVersion: `${d.group}/v1`, kind: 'Widget', metadata: { name: 'a' } });
  },
  'with a status': async (s, d) => {
    await s.create(d.path, widget(d, 'a', {}, { status: { replicas: 3 } }));
    await s.merge(`${d.path}/a`, { status: { replicas: 3 } });
    await s.merge(`${d.path}/a/status`, { status: { replicas: 3, phase: 'Ready' }, spec: { replicas: 7 } });
    await s.merge(`${d.path}/a/status`, { status: { phase: 'Lost' } });
    await s.get(`${d.path}/a`);
  },
  'update and conflicts': async (s, d) => {
    const { body } = await s.create(d.path, widget(d, 'a'));
    await s.update(`${d.path}/a`, widget(d, 'a', { replicas: 5 }));
    await s.update(`${d.path}/a`, { ...body, spec: { replicas: 5 } });
    await s.update(`${d.path}/a`, { ...body, spec: { replicas: 7 } });
  },
  generation: async (s, d) => {
    await s.create(d.path, widget(d, 'a'));
    await s.merge(`${d.path}/a`, { metadata: { labels: { a: 'b' } } });
    await s.merge(`${d.path}/a`, { spec: { replicas: 5 } });
    await s.merge(`${d.path}/a/status`, { status: { replicas: 5 } });
    await s.merge(`${d.path}/a`, { spec: { replicas: 5 } });
  },
  'a transition rule': async (s, d) => {
    await s.create(d.path, widget(d, 'a', { engine: 'one' }));
    await s.merge(`${d.path}/a`, { spec: { engine: 'two' } });
    await s.merge(`${d.path}/a`, { spec: { engine: null } });
    await s.merge(`${d.path}/a`, { spec: { engine: 'three' } });
  },
  'strict validation': async (s, d) => {
    await s.create(`${d.path}?fieldValidation=Strict`, widget(d, 'a', { unknown: 1 }));
    await s.create(`${d.path}?fieldValidation=Warn`, widget(d, 'a', { unknown: 1 }));
    await s.create(`${d.path}?fieldValidation=Ignore`, widget(d, 'b', { unknown: 1 }));
  },
  'patches of each type': async (s, d) => {
    await s.create(d.path, widget(d, 'a', { zones: ['a'] }));
    await s.json(`${d.path}/a`, [{ op: 'add', path: '/spec/zones/-', value: 'b' }]);
    await s.merge(`${d.path}/a`, { spec: { zones: ['z'] } });
    await s.strategic(`${d.path}/a`, { spec: { zones: ['y'] } });
  },
  scale: async (s, d) => {
    await s.create(d.path, widget(d, 'a'));
    await s.merge(`${d.path}/a/status`, { status: { replicas: 2, selector: 'app=a' } });
    await s.get(`${d.path}/a/scale`);
    await s.merge(`${d.path}/a/scale`, { spec: { replicas: 5 } });
    await s.merge(`${d.path}/a/scale`, { spec: { replicas: 50 } });
    await s.get(`${d.path}/a`);
  },
  'several versions': async (s, d) => {
    const beta = d.path.replace('/v1/', '/v1beta1/');
    await s.create(d.path, widget(d, 'a'));
    await s.get(`${beta}/a`);
    await s.merge(`${beta}/a`, { spec: { replicas: 1 } });
    await s.get(`${d.path}/a`);
    await s.apply(
      `${beta}/a`,
      { ...widget(d, 'a', { replicas: 1, image: 'b:1' }), apiVersion: `${d.group}/v1beta1` },
      { manager: 'beta' },
    );
    await s.apply(`${d.path}/a`, widget(d, 'a', { replicas: 1 }), { manager: 'beta' });
    await s.create(d.path, { ...widget(d, 'b'), apiVersion: `${d.group}/v1beta1` });
  },
  'selectable fields': async (s, d) => {
    await s.create(d.path, widget(d, 'a'));
    await s.create(d.path, widget(d, 'b', { mode: 'Quorum' }));
    await s.get(`${d.path}?fieldSelector=spec.mode%3DQuorum`);
    await s.get(`${d.path}?fieldSelector=spec.image%3Dx`);
  },
  tables: async (s, d) => {
    await s.create(d.path, widget(d, 'a'));
    await s.create(d.path, widget(d, 'b', { replicas: 1 }));
    const conditions = [
      { type: 'Synced', status: 'False' },
      { type: 'Ready', status: 'True', message: 'well' },
    ];
    await s.merge(`${d.path}/a/status`, { status: { conditions } });
    await s.table(d.path);
    await s.table(`${d.path}/a`);
    await s.table(`${d.path}?includeObject=None`);
    await s.table(d.path.replace('/v1/', '/v1beta1/'));
    await s.table(`${d.path}/none`);
  },
  'the scale’s fields': async (s, d) => {
    await s.create(d.path, widget(d, 'a', { replicas: -1 }));
    await s.create(d.path, { ...widget(d, 'b'), spec: [] });
    await s.create(d.path, { ...widget(d, 'c'), spec: 'x' });
    await s.create(d.path, widget(d, 'd'));
    await s.merge(`${d.path}/d/status`, { status: { replicas: -5 } });
    await s.merge(`${d.path}/d/status`, { status: { selector: 5 } });
  },
  'bodies that can not be read': async (s, d) => {
    const whole = JSON.stringify(widget(d, 'a'));
    for (const body of [
      '',
      'null',
      '[]',
      '1',
      '{',
      '{}',
      whole.slice(0, -1),
      `${whole}x`,
      whole.replace('Widget', ''),
      whole.replace('"Widget"', '1'),
    ])
      await s.send({ method: 'POST', path: d.path, body });
    await s.create(d.path, { ...widget(d, 'b'), apiVersion: '' });
    await s.create(d.path, { ...widget(d, 'b'), apiVersion: 'v1' });
    for (const contentType of ['text/plain', 'application/cbor'])
      await s.send({ method: 'POST', path: d.path, body: whole, contentType });
    for (const validation of ['Warn', 'Strict'])
      await s.send({
        method: 'POST',
        path: `${d.path}?dryRun=All&fieldValidation=${validation}`,
        body: whole.replace('"replicas":3', '"replicas":3,"replicas":5,"labels":{"a":"1","a":"2"}'),
      });
    await s.create(d.path, widget(d, 'a', { labels: { constructor: 'a', toString: 'b' } }));
    await s.merge(`${d.path}/a`, { spec: { labels: { hasOwnProperty: 'c', constructor: null } } });
    await s.get(`${d.path}?fieldSelector=constructor%3Da`);
  },
  'an unknown version and an unknown kind': async (s, d) => {
    await s.get(d.path.replace('/v1/', '/v2/'));
    await s.get(d.path.replace('widgets', 'gadgets'));
    await s.create(d.path, { ...widget(d, 'a'), kind: 'Gadget' });
  },
};

/** Objects of custom kinds: pruning, defaults, validation, patches, scale, versions, tables. */
export const definitionCases: readonly Case[] = withWidgets(objectCases);
