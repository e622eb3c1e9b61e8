// Compares checkSchema with a real API server: the schemas of small CRDs with one mistake each, created with dry-run.
//
//   KUBECONFIG=… node --conditions=ordinal-source bench/schema/crd-agreement.ts CRD_FOLDER [--each 8] [--seed 1] [--show 20]
import { checkSchema, fieldErrorMessage } from '@ordinal/schema';
import type { JsonObject, JsonSchemaProps, JsonValue } from '@ordinal/schema';
import { cel } from '@ordinal/schema/cel';
import { seededRandom } from '@ordinal/schema/sample';
import type { Random } from '@ordinal/schema/sample';
import { ApiServer } from './api-server.ts';
import type { Reply } from './api-server.ts';
import { readCrds } from './crds.ts';
import type { Crd } from './crds.ts';
import { readFlags } from '../../tools/flags/flags.ts';

const { values, positionals } = readFlags(
  'node --conditions=ordinal-source bench/schema/crd-agreement.ts CRD_FOLDER [--each 8] [--seed 1] [--show 20]',
  {
    allowPositionals: true,
    options: {
      each: { type: 'string', default: '8' },
      seed: { type: 'string', default: '1' },
      show: { type: 'string', default: '20' },
    },
  },
);

/** Beyond this size the API server takes long to compile a schema. */
const maxCharacters = 60_000;

type Mistake = (schema: Record<string, unknown>) => void;

const mistakes: Record<string, Mistake> = {
  'no type': (schema) => delete schema.type,
  'unknown type': (schema) => (schema.type = 'text'),
  'null type': (schema) => (schema.type = 'null'),
  'another type': (schema) => (schema.type = schema.type === 'string' ? 'integer' : 'string'),
  'no items': (schema) => delete schema.items,
  'unique items': (schema) => (schema.uniqueItems = true),
  'mixed properties': (schema) =>
    Object.assign(schema, { properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } }),
  closed: (schema) => (schema.additionalProperties = false),
  open: (schema) => (schema.additionalProperties = true),
  'not preserving': (schema) => (schema['x-kubernetes-preserve-unknown-fields'] = false),
  preserving: (schema) => (schema['x-kubernetes-preserve-unknown-fields'] = true),
  embedded: (schema) => (schema['x-kubernetes-embedded-resource'] = true),
  'int or string': (schema) => (schema['x-kubernetes-int-or-string'] = true),
  'list type': (schema) => (schema['x-kubernetes-list-type'] = 'set'),
  'list map': (schema) =>
    Object.assign(schema, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
  'list keys': (schema) => (schema['x-kubernetes-list-map-keys'] = ['name']),
  'odd list type': (schema) => (schema['x-kubernetes-list-type'] = 'bag'),
  'map type': (schema) => (schema['x-kubernetes-map-type'] = 'atomic'),
  'odd map type': (schema) => (schema['x-kubernetes-map-type'] = 'loose'),
  'typed branch': (schema) => (schema.anyOf = [{ type: 'integer' }, { type: 'string' }]),
  'branch beside': (schema) =>
    (schema.oneOf = [{ properties: { elsewhere: { minLength: 1 } } }, { required: ['elsewhere'] }]),
  'branch with default': (schema) => (schema.allOf = [{ default: 'x', description: 'y' }]),
  'bad pattern': (schema) => (schema.pattern = '(?=a)'),
  'good pattern': (schema) => (schema.pattern = '^[[:alpha:]]+$'),
  'default of text': (schema) => (schema.default = 'x'),
  'default of object': (schema) => (schema.default = { unknown: 1 }),
  'default of list': (schema) => (schema.default = [1]),
  'default null': (schema) => (schema.default = null),
  nullable: (schema) => (schema.nullable = true),
  metadata: (schema) =>
    (schema.properties = { metadata: { type: 'object', properties: { labels: { type: 'object' } } } }),
  rule: (schema) => (schema['x-kubernetes-validations'] = [{ rule: 'true' }]),
  'empty rule': (schema) => (schema['x-kubernetes-validations'] = [{ rule: ' ' }]),
  'unknown name': (schema) => (schema['x-kubernetes-validations'] = [{ rule: 'nope == 1' }]),
  'broken rule': (schema) => (schema['x-kubernetes-validations'] = [{ rule: 'self ==' }]),
  'rule of two lines': (schema) => (schema['x-kubernetes-validations'] = [{ rule: 'true ||\nfalse' }]),
  'odd reason': (schema) => (schema['x-kubernetes-validations'] = [{ rule: 'true', reason: 'Because' }]),
  'bad path': (schema) => (schema['x-kubernetes-validations'] = [{ rule: 'true', fieldPath: '.nowhere' }]),
};

function nodes(schema: JsonSchemaProps): JsonSchemaProps[] {
  const { items, additionalProperties, properties = {} } = schema;
  const below = [
    ...Object.values(properties),
    items,
    typeof additionalProperties === 'object' ? additionalProperties : undefined,
  ];
  return [schema, ...below.filter((each) => each !== undefined).flatMap(nodes)];
}

function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random.next() * list.length)]!;
}

const kubeconfig = process.env.KUBECONFIG;
if (kubeconfig === undefined || positionals[0] === undefined) {
  console.error(
    'crd-agreement: needs KUBECONFIG (a control plane: npm run cluster -- control-plane) and a folder with CRDs',
  );
  process.exit(2);
}
const api = new ApiServer(kubeconfig);
const random = seededRandom(Number(values.seed));
const tally = { schemas: 0, crashed: 0, accepted: 0, refused: 0, verdict: 0, acceptedWrongly: 0, messages: 0 };
let shown = 0;

/** Undefined where the API server's handler panics, which some defaults of metadata make it do: it closes the connection. */
async function create(body: object): Promise<Reply | undefined> {
  try {
    return await api.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All', body);
  } catch {
    tally.crashed++;
    return undefined;
  }
}

async function compare(crd: Crd, name: string): Promise<void> {
  const copy = structuredClone(crd);
  const version = copy.spec.versions.find(({ storage }) => storage)!;
  copy.spec.versions = [version];
  copy.spec.group = `agreement.${copy.spec.group}`;
  delete copy.spec.conversion;
  const schema = version.schema?.openAPIV3Schema ?? {};
  mistakes[name]!(pick(random, nodes(schema)) as Record<string, unknown>);
  const body = {
    ...copy,
    metadata: {
      name: `${copy.spec.names.plural}.${copy.spec.group}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, testing-only' },
    },
  };
  const reply = await create(body);
  if (reply === undefined) return;
  const causes = ((reply.body.details as JsonObject | undefined)?.causes ?? []) as { field: string; message: string }[];
  const theirs = reply.code === 201 ? [] : causes.map(({ field, message }) => `${field}: ${message}`);
  if (reply.code !== 201 && theirs.length === 0) theirs.push(String(reply.body.message));
  const ours = checkSchema(schema, { cel, statusSubresource: version.subresources?.status !== undefined }).map(
    fieldErrorMessage,
  );
  tally.schemas++;
  tally[theirs.length === 0 ? 'accepted' : 'refused']++;
  const differs = (theirs.length === 0) !== (ours.length === 0);
  if (differs) tally.verdict++;
  if (differs && ours.length === 0) tally.acceptedWrongly++;
  const same = [...new Set(ours)].sort().join('\n') === [...new Set(theirs)].sort().join('\n');
  if (!differs && !same) tally.messages++;
  if ((differs || !same) && ++shown <= Number(values.show)) {
    const only = (some: string[], others: string[]): JsonValue =>
      some.filter((text) => !others.includes(text)).map((text) => text.slice(0, 300));
    console.log(
      `${differs ? 'verdict' : 'messages'} (${name}): ${crd.metadata.name}\n  ours   ${JSON.stringify(only(ours, theirs))}\n  server ${JSON.stringify(only(theirs, ours))}`,
    );
  }
}

for (const crd of readCrds(positionals[0])) {
  if (JSON.stringify(crd).length > maxCharacters) continue;
  for (let i = 0; i < Number(values.each); i++) await compare(crd, pick(random, Object.keys(mistakes)));
}
api.close();
console.table(tally);
process.exitCode = tally.verdict === 0 ? 0 : 1;
