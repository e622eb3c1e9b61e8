// Compares @ordinal/schema with a real API server over sampled and mutated objects, created with dry-run.
//
//   npm run cluster -- control-plane
//   KUBECONFIG=… node --conditions=ordinal-source bench/schema/agreement.ts CRD_FOLDER [--valid 20] [--mutated 30] [--updates 10] [--seed 1] [--only TEXT] [--show 20] [--generated]
//
// With --generated the judge is what `ordinal-codegen --only validators` writes for the CRD, imported as a program would.
import { compileSchema, copyJson, equalJson, fieldErrorMessage } from '@ordinal/schema';
import type { CompiledSchema, JsonObject, JsonSchemaProps } from '@ordinal/schema';
import { cel } from '@ordinal/schema/cel';
import { mutate, sample, sampleValid, seededRandom } from '@ordinal/schema/sample';
import type { Random } from '@ordinal/schema/sample';
import { ApiServer } from './api-server.ts';
import type { Reply } from './api-server.ts';
import { install, readCrds, served } from './crds.ts';
import type { Crd } from './crds.ts';
import { generatedValidators } from './generated.ts';
import type { GeneratedValidator } from './generated.ts';
import { readFlags } from '../../tools/flags/flags.ts';

const { values, positionals } = readFlags(
  'node --conditions=ordinal-source bench/schema/agreement.ts CRD_FOLDER [--valid 20] [--only TEXT] [--generated] …',
  {
    allowPositionals: true,
    options: {
      valid: { type: 'string', default: '20' },
      mutated: { type: 'string', default: '30' },
      updates: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string', default: '' },
      show: { type: 'string', default: '20' },
      generated: { type: 'boolean', default: false },
    },
  },
);

interface Tally {
  objects: number;
  statuses: number;
  accepted: number;
  refused: number;
  verdict: number;
  acceptedWrongly: number;
  stored: number;
  messages: number;
  unknown: number;
}

const tally: Tally = {
  objects: 0,
  statuses: 0,
  accepted: 0,
  refused: 0,
  verdict: 0,
  acceptedWrongly: 0,
  stored: 0,
  messages: 0,
  unknown: 0,
};
let shown = 0;

function show(title: string, crd: Crd, details: unknown[]): void {
  if (++shown > Number(values.show)) return;
  console.log(`\n${title}: ${crd.metadata.name}`);
  for (const detail of details) console.log('  ', typeof detail === 'string' ? detail : JSON.stringify(detail));
}

interface Subject {
  readonly crd: Crd;
  readonly version: Crd['spec']['versions'][number];
  readonly compiled: CompiledSchema;
  readonly path: string;
  /** What judges in place of the compiled schema. */
  readonly generated?: GeneratedValidator;
}

function withoutMetadata(object: JsonObject): JsonObject {
  const rest = { ...object };
  delete rest.metadata;
  return rest;
}

interface Judgement {
  readonly object: JsonObject;
  readonly errors: string[];
  readonly unknown: readonly string[];
}

function judge(subject: Subject, object: JsonObject, old?: JsonObject): Judgement {
  const { version, compiled, generated } = subject;
  if (generated !== undefined) return judgeGenerated(generated, object, old);
  const copy = copyJson(object);
  const { unknownFields, decodeError } = compiled.admit(copy);
  const hasStatus = version.subresources?.status !== undefined;
  if (hasStatus) delete copy.status;
  const errors =
    decodeError === undefined
      ? compiled.validate(copy, old).map(fieldErrorMessage)
      : [`decode: ${fieldErrorMessage(decodeError)}`];
  // What is stored passes through the defaults once more, after the status was taken away.
  if (hasStatus && decodeError === undefined) compiled.default(copy);
  return { object: copy, errors, unknown: unknownFields };
}

function judgeGenerated(validator: GeneratedValidator, object: JsonObject, old?: JsonObject): Judgement {
  const errors = validator.validate(object, old).map(fieldErrorMessage);
  const unknown = validator.unknownFields(object);
  const whole = validator.withDefaults(object);
  if (!validator.statusSubresource) return { object: whole, errors, unknown };
  delete whole.status;
  return { object: validator.withDefaults(whole), errors, unknown };
}

function serverErrors(reply: Reply, subject: Subject): string[] | undefined {
  if (reply.code === 201 || reply.code === 200) return [];
  if (reply.code === 400) return [`decode: ${String(reply.body.message)}`];
  if (reply.code !== 422) return undefined;
  const causes = (reply.body.details as JsonObject | undefined)?.causes as JsonObject[] | undefined;
  const scale = subject.version.subresources?.scale;
  // Scale paths and metadata are judged by the API server outside the schema.
  return (causes ?? [])
    .map(({ field, message }) => `${String(field)}: ${String(message)}`)
    .filter((text) => scale === undefined || !text.startsWith(scale.specReplicasPath));
}

async function compare(subject: Subject, object: JsonObject, what: string, old?: JsonObject): Promise<void> {
  const { crd, path } = subject;
  const metadata = old === undefined ? { name: 'sample' } : old.metadata;
  const body = {
    ...object,
    apiVersion: `${crd.spec.group}/${subject.version.name}`,
    kind: crd.spec.names.kind,
    metadata,
  };
  const target = old === undefined ? ['POST', path] : ['PUT', `${path}/sample`];
  const reply = await api.call(target[0]!, `${target[1]!}?dryRun=All&fieldValidation=Warn`, body);
  const theirs = serverErrors(reply, subject);
  if (theirs === undefined) throw new Error(`${path}: ${String(reply.code)} ${JSON.stringify(reply.body)}`);
  const ours = judge(subject, body as JsonObject, old);
  tally.objects++;
  tally[theirs.length === 0 ? 'accepted' : 'refused']++;
  if ((theirs.length === 0) !== (ours.errors.length === 0)) {
    tally.verdict++;
    if (ours.errors.length === 0) tally.acceptedWrongly++;
    show(`verdict (${what})`, crd, ['ours:', ours.errors, 'server:', theirs, body]);
  } else if (theirs.length === 0) {
    const mine = withoutMetadata(ours.object);
    const stored = withoutMetadata(reply.body);
    if (!equalJson(mine, stored)) {
      tally.stored++;
      show(`stored object (${what})`, crd, ['ours:', mine, 'server:', stored]);
    }
  } else {
    const mine = [...new Set(ours.errors)].sort();
    const other = [...new Set(theirs)].sort();
    if (!theirs[0]!.startsWith('decode') && JSON.stringify(mine) !== JSON.stringify(other)) {
      tally.messages++;
      show(`messages (${what})`, crd, [
        'only ours:',
        mine.filter((text) => !other.includes(text)),
        'only server:',
        other.filter((text) => !mine.includes(text)),
      ]);
    }
  }
  const warned = reply.warnings.flatMap((text) => /^unknown field "(.*)"$/.exec(text)?.[1] ?? []).sort();
  if (reply.code !== 400 && JSON.stringify(warned) !== JSON.stringify([...ours.unknown].sort())) {
    tally.unknown++;
    show(`unknown fields (${what})`, crd, ['ours:', ours.unknown, 'server:', warned]);
  }
}

function seedOf(name: string): number {
  return [...name].reduce((hash, char) => (Math.imul(hash, 31) + char.charCodeAt(0)) | 0, Number(values.seed));
}

async function run(subject: Subject, schema: JsonSchemaProps): Promise<void> {
  const random = seededRandom(seedOf(subject.path));
  const valid: JsonObject[] = [];
  for (let i = 0; i < Number(values.valid); i++) {
    const object = sampleValid(schema, random, { compiled: subject.compiled }) ?? sample(schema, random);
    valid.push(object);
    await compare(subject, object, 'sampled');
  }
  for (let i = 0; i < Number(values.mutated); i++) {
    const base = i % 5 === 4 ? sample(schema, random) : (valid[i % valid.length] ?? {});
    const { object, what } = mutate(base, random, Object.keys(base));
    await compare(subject, object, what);
  }
  await runUpdates(subject, valid, random);
}

/** Updates of a stored object: rules with oldSelf, and ratcheting. */
async function runUpdates(subject: Subject, valid: readonly JsonObject[], random: Random): Promise<void> {
  const { crd, version, path } = subject;
  const body = valid
    .map((object): JsonObject => ({
      ...object,
      apiVersion: `${crd.spec.group}/${version.name}`,
      kind: crd.spec.names.kind,
      metadata: { name: 'sample' },
    }))
    .find((object) => judge(subject, object).errors.length === 0);
  if (body === undefined) return;
  const created = await api.call('POST', path, body);
  if (created.code !== 201) throw new Error(`${path}: ${JSON.stringify(created.body)}`);
  const old = created.body;
  for (let i = 0; i < Number(values.updates); i++) {
    const { object, what } = mutate(withoutMetadata(old), random, ['spec']);
    await compare(subject, object, `update: ${what}`, old);
  }
  if (version.subresources?.status !== undefined && subject.generated === undefined)
    await runStatuses(subject, old, random);
  await api.call('DELETE', `${path}/sample`);
}

/** Writes to the status subresource. */
async function runStatuses({ crd, version, compiled, path }: Subject, old: JsonObject, random: Random): Promise<void> {
  const status = version.schema?.openAPIV3Schema?.properties?.status;
  if (status === undefined) return;
  for (let i = 0; i < Number(values.updates) / 3; i++) {
    const drawn = sample({ type: 'object', required: ['status'], properties: { status } }, random);
    const { object, what } = i % 2 === 0 ? { object: drawn, what: 'sampled' } : mutate(drawn, random, ['status']);
    const body: JsonObject = { ...old, ...object };
    const reply = await api.call('PUT', `${path}/sample/status?dryRun=All`, body);
    if (reply.code !== 200 && reply.code !== 422) continue;
    const causes = ((reply.body.details as JsonObject | undefined)?.causes ?? []) as {
      field: string;
      message: string;
    }[];
    // Scale paths are judged by the API server outside the schema; their errors begin with a dot.
    const theirs =
      reply.code === 200
        ? []
        : causes
            .map(({ field, message }) => `${field}: ${message}`)
            .filter((text) => !text.startsWith('.'))
            .sort();
    const judged = copyJson(body);
    compiled.admit(judged);
    const ours = compiled.validateStatus(judged, old).map(fieldErrorMessage).sort();
    tally.statuses++;
    if ((theirs.length === 0) !== (ours.length === 0)) tally.verdict++;
    else if (JSON.stringify([...new Set(ours)]) !== JSON.stringify([...new Set(theirs)])) tally.messages++;
    else continue;
    show(`status (${what})`, crd, ['ours:', ours, 'server:', theirs, body.status]);
  }
}

const kubeconfig = process.env.KUBECONFIG;
if (kubeconfig === undefined || positionals[0] === undefined) {
  console.error(
    'agreement: needs KUBECONFIG (a control plane: npm run cluster -- control-plane) and a folder with CRDs',
  );
  process.exit(2);
}
const api = new ApiServer(kubeconfig);
const crds = readCrds(positionals[0]).filter((crd) => crd.metadata.name.includes(values.only));
const installed = new Set<Crd>();
for (const crd of crds) {
  const refusal = await install(api, crd);
  if (refusal === undefined) installed.add(crd);
  else console.log(`not installed: ${crd.metadata.name}: ${refusal}`);
}
const validators = values.generated ? await generatedValidators([...installed]) : undefined;
let time = 0;
for (const crd of installed) {
  const version = crd.spec.versions.find(({ storage }) => storage)!;
  const { group, scope, names } = crd.spec;
  const path = `/apis/${group}/${version.name}/${scope === 'Namespaced' ? 'namespaces/default/' : ''}${names.plural}`;
  const schema = version.schema?.openAPIV3Schema ?? {};
  const started = performance.now();
  const compiled = compileSchema(schema, { cel });
  time += performance.now() - started;
  await served(api, path);
  const generated = validators?.get(crd);
  await run({ crd, version, compiled, path, ...(generated === undefined ? {} : { generated }) }, schema);
}
api.close();
console.log(`\n${String(installed.size)} CRDs, seed ${values.seed}; compiled in ${time.toFixed(0)} ms`);
console.table(tally);
process.exitCode = tally.verdict + tally.stored === 0 ? 0 : 1;
