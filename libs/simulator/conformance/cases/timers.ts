import type { Json, Session } from '../case.ts';
import { serveWebhooks } from '../webhook-server.ts';
import type { Answer, WebhookServer } from '../webhook-server.ts';
import { definitions } from './widgets.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A kind in two versions: `v1` has an address and a period as texts, `v2` has their parts. */
export interface Timers {
  readonly group: string;
  readonly v1: string;
  readonly v2: string;
  readonly definition: string;
  readonly server: WebhookServer;
  /** How the webhook answers from now on. */
  answer: Answer;
}

const specs: Readonly<Record<'v1' | 'v2', Json>> = {
  v1: {
    address: { type: 'string' },
    period: { type: 'string', default: '30s' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    replicas: { type: 'integer' },
  },
  v2: {
    host: { type: 'string' },
    port: { type: 'integer', minimum: 1 },
    seconds: { type: 'integer' },
    mode: { type: 'string', default: 'Loose' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    replicas: { type: 'integer' },
  },
};

const statuses: Readonly<Record<'v1' | 'v2', Json>> = {
  v1: { last: { type: 'string' } },
  v2: { lastRun: { type: 'string' } },
};

/** A version of the kind, as its definition has it. */
export const versionOf = (name: 'v1' | 'v2', storage: boolean): Json => ({
  name,
  served: true,
  storage,
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  },
  selectableFields: [{ jsonPath: name === 'v1' ? '.spec.address' : '.spec.host' }],
  additionalPrinterColumns: [
    { name: 'Where', type: 'string', jsonPath: name === 'v1' ? '.spec.address' : '.spec.host' },
  ],
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: specs[name] },
        status: { type: 'object', properties: statuses[name] },
      },
    },
  },
});

const renamed = (value: unknown, from: string, to: string): Json => {
  const { [from]: moved, ...rest } = (value ?? {}) as Fields;
  return { ...rest, ...(moved !== undefined && { [to]: moved }) };
};

/** `v2` of a spec of `v1`. What it can't say stands in an annotation. */
function up(spec: Fields): Json {
  const { address, period, ...rest } = spec;
  const [host, port] = typeof address === 'string' ? address.split(':') : [];
  return {
    ...rest,
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port: Number(port) }),
    ...(typeof period === 'string' && { seconds: parseInt(period, 10) }),
  };
}

/** `v1` of a spec of `v2`. */
function down(spec: Fields): Json {
  const { host, port, seconds, mode: _, ...rest } = spec;
  return {
    ...rest,
    ...(host !== undefined && { address: port === undefined ? host : `${String(host)}:${String(port)}` }),
    ...(seconds !== undefined && { period: `${String(seconds)}s` }),
  };
}

function convertedTo(version: string, object: Json): Json {
  const toV2 = version.endsWith('/v2');
  const { spec, status, ...rest } = object;
  // Of this kind.
  const fields = (spec ?? {}) as Fields;
  return {
    ...rest,
    apiVersion: version,
    ...(spec !== undefined && { spec: toV2 ? up(fields) : down(fields) }),
    ...(status !== undefined && {
      status: toV2 ? renamed(status, 'last', 'lastRun') : renamed(status, 'lastRun', 'last'),
    }),
  };
}

/** What a conversion webhook is asked to convert. */
export const objectsOf = (request: Json): readonly Json[] => request['objects'] as readonly Json[];
/** The result of a conversion that worked. */
export const success = { status: 'Success' };
/** A webhook that converts, and then changes what it has converted. */
export const converting =
  (change: (object: Json) => Json = (object) => object): Answer =>
  (request) => ({
    result: success,
    convertedObjects: objectsOf(request).map((object) =>
      change(convertedTo(String(request['desiredAPIVersion']), object)),
    ),
  });

/** The type of a timer in a version. */
export const typed = ({ group }: Timers, version: 'v1' | 'v2'): Json => ({
  apiVersion: `${group}/${version}`,
  kind: 'Timer',
});

interface Fresh {
  readonly name: string;
  readonly spec: Json;
  readonly metadata?: Json;
}

/** A new timer. */
export const timer = (t: Timers, version: 'v1' | 'v2', { name, spec, metadata }: Fresh): Json => ({
  ...typed(t, version),
  metadata: { name, ...metadata },
  spec,
});

async function ready(s: Session, timers: Timers): Promise<void> {
  for (const version of ['v1', 'v2'] as const)
    for (let left = 100; left > 0; left -= 1) {
      const body = { ...typed(timers, version), metadata: { name: 'probe' }, spec: {} };
      const probe = `${timers[version].replaceAll(':ns', s.namespace)}?dryRun=All`;
      const reply = await s.world.send({ method: 'POST', path: probe, body });
      if (reply.status === 201) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  timers.server.taken();
}

/** Waits until a changed definition is served: until then lists are refused. */
export async function served(s: Session, { v1, v2 }: Timers): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1500));
  for (const path of [v1, v2])
    for (let left = 100; left > 0; left -= 1) {
      const { status } = await s.world.send({ method: 'GET', path: path.replaceAll(':ns', s.namespace) });
      if (status === 200) break;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
}

const conversionTo = (server: WebhookServer): Json => ({
  strategy: 'Webhook',
  webhook: {
    conversionReviewVersions: ['v1'],
    clientConfig: { url: `${server.origin}/convert`, caBundle: server.caBundle },
  },
});

const definitionOf = (group: string, server: WebhookServer): Json => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `timers.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'timers', kind: 'Timer' },
    conversion: conversionTo(server),
    versions: [versionOf('v1', true), versionOf('v2', false)],
  },
});

/** What a case does with timers. */
export type Work = (s: Session, timers: Timers) => Promise<void>;

/** Defines the kind with its webhook, does the work, and takes both away. */
export async function withTimers(s: Session, work: Work): Promise<void> {
  const group = `${s.namespace}.example.com`;
  const server = await serveWebhooks({ '/convert': (request) => timers.answer(request) });
  const at = (version: string): string => `/apis/${group}/${version}/namespaces/:ns/timers`;
  const definition = `${definitions}/timers.${group}`;
  const timers: Timers = { group, v1: at('v1'), v2: at('v2'), definition, server, answer: converting() };
  s.hide(new URL(server.origin).host, '<webhook>');
  s.hide(server.caBundle, '<authority>');
  try {
    const created = await s.world.send({ method: 'POST', path: definitions, body: definitionOf(group, server) });
    if (created.status !== 201) throw new Error(`${s.world.name}: ${JSON.stringify(created.body)}`);
    await ready(s, timers);
    await work(s, timers);
  } finally {
    timers.answer = converting();
    await s.world.send({ method: 'DELETE', path: definition });
    server.close();
  }
}
