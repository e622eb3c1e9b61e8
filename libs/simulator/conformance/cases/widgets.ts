import type { Case, Json, Session } from '../case.ts';

/** Where definitions are. */
export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A definition, and where its objects are. */
export interface Definition {
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

/** A widget of three replicas; `spec` and `rest` are laid over. */
export const widget = ({ group }: Definition, name: string, spec: Json = {}, rest: Json = {}): Json => ({
  apiVersion: `${group}/v1`,
  kind: 'Widget',
  metadata: { name },
  spec: { replicas: 3, ...spec },
  ...rest,
});

const stricter = (place: string): readonly Json[] => [
  { op: 'replace', path: `${place}/properties/replicas/maximum`, value: 5 },
  { op: 'replace', path: `${place}/properties/image/pattern`, value: '^b' },
  { op: 'replace', path: `${place}/properties/gates/items/properties/timeout/maximum`, value: 100 },
  { op: 'add', path: `${place}/x-kubernetes-validations/-`, value: { rule: "self.mode != 'Quorum'" } },
];

/** Makes the definition stricter: objects that were stored before break it. */
export async function narrow(s: Session, { group, path }: Definition): Promise<void> {
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
export async function settled(s: Session, path: string, reason: string | undefined): Promise<void> {
  for (let left = 600; left > 0; left -= 1) {
    const { status, body } = await s.world.send({ method: 'GET', path });
    if (reason === undefined ? status === 404 : JSON.stringify(body).includes(reason)) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // Deletions of objects follow that mark.
  await new Promise((resolve) => setTimeout(resolve, 300));
}

/** What a case does with a definition of its own. */
export type WidgetCase = (s: Session, d: Definition) => Promise<void>;

/** Cases that have the definition of widgets installed while they run. */
export const withWidgets = (cases: Readonly<Record<string, WidgetCase>>): readonly Case[] =>
  Object.entries(cases).map(([title, work]) => ({
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
