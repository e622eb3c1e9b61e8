import type { Case, Json, Session } from '../case.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Definition {
  readonly group: string;
  readonly path: string;
  readonly object: Json;
}

const gates = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      path: { type: 'string', default: '/ready' },
      timeout: { type: 'integer', minimum: 1, maximum: 600, default: 30 },
    },
  },
};

const schema: Json = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['replicas'],
      'x-kubernetes-validations': [
        { rule: "self.replicas % 2 == 1 || self.mode != 'Quorum'", message: 'a quorum needs an odd number' },
      ],
      properties: {
        replicas: { type: 'integer', minimum: 0, maximum: 9 },
        image: { type: 'string', maxLength: 40, pattern: '^[a-z0-9:./-]+$' },
        mode: { type: 'string', enum: ['Quorum', 'Single'], default: 'Single' },
        engine: {
          type: 'string',
          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'engine is immutable' }],
        },
        storage: {
          type: 'object',
          default: {},
          properties: { size: { type: 'string', default: '1Gi' }, className: { type: 'string', nullable: true } },
        },
        gates,
        zones: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        options: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        port: { 'x-kubernetes-int-or-string': true },
        affinity: {
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          properties: { a: { type: 'string' }, b: { type: 'string' } },
        },
      },
    },
    status: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        selector: { type: 'string' },
        phase: { type: 'string', enum: ['Ready', 'Waiting'] },
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: {
            type: 'object',
            required: ['type', 'status'],
            properties: { type: { type: 'string' }, status: { type: 'string' }, message: { type: 'string' } },
          },
        },
      },
    },
  },
};

/** A definition of a group of its own, so that cases do not meet. */
function definitionFor(s: Session): Definition {
  const group = `${s.namespace}.example.com`;
  return {
    group,
    path: `/apis/${group}/v1/namespaces/:ns/widgets`,
    object: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget', shortNames: ['wi'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: schema },
            subresources: {
              status: {},
              scale: {
                specReplicasPath: '.spec.replicas',
                statusReplicasPath: '.status.replicas',
                labelSelectorPath: '.status.selector',
              },
            },
            selectableFields: [{ jsonPath: '.spec.mode' }],
            additionalPrinterColumns: [
              { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
              { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
              { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
            ],
          },
          {
            name: 'v1beta1',
            served: true,
            storage: false,
            deprecated: true,
            schema: { openAPIV3Schema: schema },
            subresources: { status: {} },
            selectableFields: [{ jsonPath: '.spec.mode' }],
          },
        ],
      },
    },
  };
}

/** Installs the definition, waits until it is served, and leaves no trace of that in what is compared. */
async function install(s: Session): Promise<Definition> {
  const definition = definitionFor(s);
  const created = await s.world.send({ method: 'POST', path: definitions, body: definition.object });
  if (created.status !== 201) throw new Error(`${s.world.name}: ${JSON.stringify(created.body).slice(0, 600)}`);
  const path = definition.path.replaceAll(':ns', s.namespace);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    // Until the server takes writes of the kind: a refused one says so.
    const reply = await s.world.send({ method: 'POST', path: `${path}?dryRun=All`, body: widget(definition, 'probe') });
    if (reply.status === 201) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return definition;
}

const widget = ({ group }: Definition, name: string, spec: Json = {}, rest: Json = {}): Json => ({
  apiVersion: `${group}/v1`,
  kind: 'Widget',
  metadata: { name },
  spec: { replicas: 3, ...spec },
  ...rest,
});

type WidgetCase = (s: Session, d: Definition) => Promise<void>;

const creations: Readonly<Record<string, Json>> = {
  'with defaults': {},
  'with defaults inside lists': { gates: [{ name: 'a' }, { name: 'b', timeout: 5 }] },
  'with a null that has a default': { storage: null, mode: null },
  'with a nullable null': { storage: { className: null } },
  'with unknown fields': { unknown: 1, gates: [{ name: 'a', extra: true }] },
  'with preserved fields': { options: { anything: { goes: [1, 'two', null] } } },
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

const stricter = (place: string): readonly Json[] => [
  { op: 'replace', path: `${place}/properties/replicas/maximum`, value: 5 },
  { op: 'replace', path: `${place}/properties/image/pattern`, value: '^b' },
  { op: 'replace', path: `${place}/properties/gates/items/properties/timeout/maximum`, value: 100 },
  { op: 'add', path: `${place}/x-kubernetes-validations/-`, value: { rule: "self.mode != 'Quorum'" } },
];

/** Makes the definition stricter: objects that were stored before break it. */
async function narrow(s: Session, { group, path }: Definition): Promise<void> {
  const name = `${definitions}/widgets.${group}`;
  const narrowed = await s.world.send({
    method: 'PATCH',
    path: name,
    contentType: 'application/json-patch+json',
    // Both versions: the server takes no difference between them here.
    body: [0, 1].flatMap((version) => stricter(`/spec/versions/${version}/schema/openAPIV3Schema/properties/spec`)),
  });
  if (narrowed.status !== 200) throw new Error(`${s.world.name}: ${JSON.stringify(narrowed.body).slice(0, 600)}`);
  const body = widget({ group, path, object: {} }, 'probe', { replicas: 6 });
  for (let left = 100; left > 0; left -= 1) {
    const probe = `${path.replaceAll(':ns', s.namespace)}?dryRun=All`;
    const reply = await s.world.send({ method: 'POST', path: probe, body });
    if (reply.status === 422) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Waits until a definition's deletion has come so far; undefined: until it is gone. */
async function settled(s: Session, path: string, reason: string | undefined): Promise<void> {
  for (let left = 150; left > 0; left -= 1) {
    const { status, body } = await s.world.send({ method: 'GET', path });
    if (reason === undefined ? status === 404 : JSON.stringify(body).includes(reason)) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // Deletions of objects follow that mark.
  await new Promise((resolve) => setTimeout(resolve, 300));
}

const widgetCases: Readonly<Record<string, WidgetCase>> = {
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
  'apply of wrong fields': async (s, d) => {
    await s.apply(`${d.path}/a`, widget(d, 'a', { unknown: 1 }));
    await s.apply(`${d.path}/a`, widget(d, 'a', { replicas: 'x' }));
    await s.apply(`${d.path}/a`, widget(d, 'a', { replicas: 100 }));
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
  'a transition rule with apply and status': async (s, d) => {
    await s.apply(`${d.path}/a`, widget(d, 'a', { engine: 'one' }));
    await s.apply(`${d.path}/a`, widget(d, 'a', { engine: 'two' }));
    await s.apply(`${d.path}/a`, widget(d, 'a'));
    await s.apply(`${d.path}/a`, widget(d, 'a', { engine: 'three' }));
    await s.merge(`${d.path}/a/status`, { status: { phase: 'Ready' } });
    await s.json(`${d.path}/a`, [{ op: 'replace', path: '/spec/engine', value: 'four' }]);
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
  'an unknown version and an unknown kind': async (s, d) => {
    await s.get(d.path.replace('/v1/', '/v2/'));
    await s.get(d.path.replace('widgets', 'gadgets'));
    await s.create(d.path, { ...widget(d, 'a'), kind: 'Gadget' });
  },
};

/** Custom kinds: pruning, defaults, validation, CEL, status, scale, versions. */
export const definitionCases: readonly Case[] = Object.entries(widgetCases).map(([title, work]) => ({
  name: `custom kind: ${title}`,
  async body(session) {
    const definition = await install(session);
    try {
      await work(session, definition);
    } finally {
      await session.world.send({ method: 'DELETE', path: `${definitions}/widgets.${definition.group}` });
    }
  },
}));
