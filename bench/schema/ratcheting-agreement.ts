// Compares updates of objects that were stored before their schema became strict: a CRD is created without validation,
// objects are stored, the CRD gets its real schema, and the objects are updated with mutations, as dry runs.
//
//   KUBECONFIG=… node --conditions=ordinal-source bench/schema/ratcheting-agreement.ts CRD_FOLDER [--updates 15] [--seed 1] [--show 20]
import { setTimeout as sleep } from 'node:timers/promises';
import { compileSchema, copyJson, fieldErrorMessage } from '@ordinal/schema';
import type { CompiledSchema, JsonObject, JsonSchemaProps } from '@ordinal/schema';
import { cel } from '@ordinal/schema/cel';
import { mutate, sample, seededRandom } from '@ordinal/schema/sample';
import { ApiServer } from './api-server.ts';
import { readCrds } from './crds.ts';
import type { Crd } from './crds.ts';
import { readFlags } from '../../tools/flags/flags.ts';

const { values, positionals } = readFlags(
  'node --conditions=ordinal-source bench/schema/ratcheting-agreement.ts CRD_FOLDER [--updates 15] [--seed 1] [--show 20]',
  {
    allowPositionals: true,
    options: {
      updates: { type: 'string', default: '15' },
      seed: { type: 'string', default: '1' },
      show: { type: 'string', default: '20' },
    },
  },
);
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Beyond this size the API server takes long to take a schema in. */
const maxCharacters = 60_000;

/** The structure of a schema without what it asks of values. */
function loose(schema: JsonSchemaProps): JsonSchemaProps {
  const { type, nullable, properties, items, additionalProperties } = schema;
  const copy: JsonSchemaProps = {};
  if (type !== undefined) copy.type = type;
  if (nullable !== undefined) copy.nullable = nullable;
  if (properties !== undefined)
    copy.properties = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, loose(each)]));
  if (items !== undefined) copy.items = loose(items);
  if (additionalProperties !== undefined)
    copy.additionalProperties =
      typeof additionalProperties === 'object' ? loose(additionalProperties) : additionalProperties;
  for (const name of [
    'x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-embedded-resource',
    'x-kubernetes-int-or-string',
  ] as const) {
    if (schema[name] === true) copy[name] = true;
  }
  return copy;
}

const kubeconfig = process.env.KUBECONFIG;
if (kubeconfig === undefined || positionals[0] === undefined) {
  console.error(
    'ratcheting-agreement: needs KUBECONFIG (a control plane: npm run cluster -- control-plane) and a folder with CRDs',
  );
  process.exit(2);
}
const api = new ApiServer(kubeconfig);
const random = seededRandom(Number(values.seed));
const tally = {
  crds: 0,
  updates: 0,
  accepted: 0,
  refused: 0,
  acceptedButInvalid: 0,
  verdict: 0,
  acceptedWrongly: 0,
  messages: 0,
};
let shown = 0;

interface Subject {
  readonly name: string;
  readonly compiled: CompiledSchema;
  readonly path: string;
  readonly hasStatus: boolean;
}

async function compare(subject: Subject, old: JsonObject): Promise<void> {
  const { metadata, ...rest } = old;
  const { object, what } = mutate(rest as JsonObject, random, ['spec']);
  const body = { ...object, apiVersion: old.apiVersion, kind: old.kind, metadata } as JsonObject;
  const name = String((metadata as JsonObject).name);
  const reply = await api.call('PUT', `${subject.path}/${name}?dryRun=All`, body);
  if (reply.code !== 200 && reply.code !== 422) return;
  const causes = ((reply.body.details as JsonObject | undefined)?.causes ?? []) as { field: string; message: string }[];
  const theirs = new Set(reply.code === 200 ? [] : causes.map(({ field, message }) => `${field}: ${message}`));
  subject.compiled.admit(body);
  // A write to the object leaves its status as it was.
  if (subject.hasStatus) {
    if (old.status === undefined) delete body.status;
    else body.status = old.status;
  }
  const ours = new Set(subject.compiled.validate(body, old).map(fieldErrorMessage));
  tally.updates++;
  tally[theirs.size === 0 ? 'accepted' : 'refused']++;
  if (theirs.size === 0 && subject.compiled.validate(body).length > 0) tally.acceptedButInvalid++;
  const differs = (theirs.size === 0) !== (ours.size === 0);
  if (differs) tally.verdict++;
  if (differs && ours.size === 0) tally.acceptedWrongly++;
  const only = (some: Set<string>, others: Set<string>): string[] => [...some].filter((text) => !others.has(text));
  const [mine, server] = [only(ours, theirs), only(theirs, ours)];
  if (mine.length + server.length === 0) return;
  if (!differs) tally.messages++;
  if (++shown <= Number(values.show))
    console.log(
      `${differs ? 'verdict' : 'messages'} (${what}): ${subject.name}\n  ours   ${JSON.stringify(mine)}\n  server ${JSON.stringify(server)}\n  ${JSON.stringify(body).slice(0, 600)}`,
    );
}

async function until(done: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await done()) return true;
    await sleep(100);
  }
  return false;
}

async function run(crd: Crd): Promise<void> {
  const version = crd.spec.versions.find(({ storage }) => storage)!;
  const schema = version.schema?.openAPIV3Schema ?? {};
  const group = `ratchet.${crd.spec.group}`;
  const name = `${crd.spec.names.plural}.${group}`;
  const spec = { ...crd.spec, group, versions: [{ ...version, schema: { openAPIV3Schema: loose(schema) } }] };
  delete spec.conversion;
  const annotations = { 'api-approved.kubernetes.io': 'unapproved, testing-only' };
  const created = await api.call('POST', crds, {
    apiVersion: crd.apiVersion,
    kind: crd.kind,
    metadata: { name, annotations },
    spec,
  });
  if (created.code !== 201) return;
  const path = `/apis/${group}/${version.name}/${crd.spec.scope === 'Namespaced' ? 'namespaces/default/' : ''}${crd.spec.names.plural}`;
  await until(async () => (await api.call('GET', path)).code === 200);
  const compiled = compileSchema(schema, { cel });
  const stored: JsonObject[] = [];
  for (let i = 0; i < 12 && stored.length < 3; i++) {
    const { object } = mutate(sample(schema, random), random, ['spec']);
    const body = {
      ...object,
      apiVersion: `${group}/${version.name}`,
      kind: crd.spec.names.kind,
      metadata: { name: `sample-${String(i)}` },
    } as JsonObject;
    const judged = copyJson(body);
    compiled.admit(judged);
    if (compiled.validate(judged).length === 0) continue;
    if ((await api.call('POST', path, body)).code === 201) stored.push(body);
  }
  const first = stored[0];
  if (first !== undefined) {
    const current = await api.call('GET', `${crds}/${name}`);
    const strict = { ...(current.body.spec as JsonObject), versions: [version] };
    await api.call('PUT', `${crds}/${name}`, { ...current.body, spec: strict });
    const probe = { ...first, metadata: { name: 'probe' } };
    // The strict schema is at work when a stored object could not be created again.
    if (await until(async () => (await api.call('POST', `${path}?dryRun=All`, probe)).code !== 201)) {
      tally.crds++;
      const subject = { name, compiled, path, hasStatus: version.subresources?.status !== undefined };
      for (const body of stored) {
        const old = (await api.call('GET', `${path}/${String((body.metadata as JsonObject).name)}`)).body;
        for (let i = 0; i < Number(values.updates); i++) await compare(subject, old);
      }
    }
  }
  await api.call('DELETE', `${crds}/${name}`);
}

for (const crd of readCrds(positionals[0])) if (JSON.stringify(crd).length <= maxCharacters) await run(crd);
api.close();
console.table(tally);
process.exitCode = tally.verdict === 0 ? 0 : 1;
