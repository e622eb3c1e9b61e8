/**
 * Sends sampled objects, valid and mutated, of the CustomResourceDefinitions of a directory to both worlds and compares the replies.
 *
 * `KUBECONFIG=… node --conditions=ordinal-source conformance/crd-samples.ts DIR [--definitions=20] [--objects=120] [--seed=1] [--only=TEXT]`: each definition
 * is one case. Half of the objects are valid, the others have one change each.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compileSchema } from '@ordinal/schema';
import type { JsonObject, JsonSchemaProps } from '@ordinal/schema';
import { cel } from '@ordinal/schema/cel';
import { mutate, sample, sampleValid, seededRandom } from '@ordinal/schema/sample';
import { systemClock } from '@ordinal/client';
import { parse } from 'yaml';
import { ApiServer } from '../src/api-server/index.ts';
import { Session } from './case.ts';
import { differences } from './compare.ts';
import { realWorld, simulatedWorld } from './world.ts';
import type { World } from './world.ts';
import { readFlags } from '../../../tools/flags/flags.ts';

const { values, positionals } = readFlags(
  'KUBECONFIG=… node --conditions=ordinal-source conformance/crd-samples.ts DIR [--definitions=20] [--objects=120] …',
  {
    allowPositionals: true,
    options: {
      definitions: { type: 'string', default: '20' },
      objects: { type: 'string', default: '120' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string', default: '' },
    },
  },
);
const [directory] = positionals;
const kubeconfig = process.env['KUBECONFIG'];
const say = (text: string): void => void process.stdout.write(`${text}\n`);
if (kubeconfig === undefined || directory === undefined) {
  say('skipped: KUBECONFIG names no API server to compare with, or no directory was given');
  process.exit(0);
}

interface Definition {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly storage: boolean;
      readonly schema: { readonly openAPIV3Schema: JsonSchemaProps };
    }[];
  };
}

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Larger ones take minutes to draw samples from. */
const largestFile = 400_000;

/** Definitions spread evenly over the directory: one project's kinds resemble each other. */
function chosen(from: string): readonly Definition[] {
  const files = readdirSync(from).filter((name) => name.endsWith('.yaml') && name.includes(values.only));
  const texts = files.map((file) => readFileSync(join(from, file), 'utf8')).filter((text) => text.length < largestFile);
  const step = Math.max(1, texts.length / Number(values.definitions));
  return Array.from({ length: Math.min(texts.length, Number(values.definitions)) }, (_, index) => {
    // Files of the directory are CustomResourceDefinitions.
    return parse(texts[Math.floor(index * step)] ?? '') as Definition;
  });
}

interface Sampled {
  readonly path: string;
  readonly objects: readonly JsonObject[];
}

/** Valid objects, each followed by a mutated one. */
function sampled({ spec }: Definition): Sampled {
  const version = spec.versions.find(({ storage }) => storage);
  if (version === undefined) throw new TypeError(`${spec.names.plural}.${spec.group} stores no version`);
  const schema = version.schema.openAPIV3Schema;
  const compiled = compileSchema(schema, { cel });
  const random = seededRandom(Number(values.seed));
  const objects: JsonObject[] = [];
  for (let index = 0; objects.length < Number(values.objects); index += 1) {
    // Some kinds' rules are hardly ever met by chance: whatever was drawn is compared all the same.
    const shape = { fullness: 0.4 };
    const body = sampleValid(schema, random, { compiled, ...shape }) ?? sample(schema, random, shape);
    const changed = mutate(body, random, Object.keys(body)).object;
    for (const [suffix, content] of [
      ['v', body],
      ['m', changed],
    ] as const)
      objects.push({
        apiVersion: `${spec.group}/${version.name}`,
        kind: spec.names.kind,
        metadata: { name: `s${index}${suffix}` },
        ...content,
      });
  }
  const place = spec.scope === 'Namespaced' ? 'namespaces/:ns/' : '';
  return { path: `/apis/${spec.group}/${version.name}/${place}${spec.names.plural}`, objects };
}

async function installed(world: World, definition: Definition): Promise<void> {
  const reply = await world.send({ method: 'POST', path: crds, body: definition });
  if (reply.status !== 201 && reply.status !== 409)
    throw new Error(`${world.name} refuses ${definition.metadata.name}: ${JSON.stringify(reply.body)}`);
  for (let left = 100; left > 0; left -= 1) {
    const { body } = await world.send({ method: 'GET', path: `${crds}/${definition.metadata.name}` });
    const { status } = body as { status?: { conditions?: readonly { type: string; status: string }[] } };
    if (status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True')) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function transcript(world: World, definition: Definition, { path, objects }: Sampled): Promise<Session> {
  await installed(world, definition);
  const session = new Session(world, namespace);
  // An established kind is served a moment later.
  for (
    let left = 100;
    left > 0 && (await world.send({ method: 'GET', path: path.replace(':ns', namespace) })).status === 404;
    left -= 1
  )
    await new Promise((resolve) => setTimeout(resolve, 100));
  for (const object of objects) await session.create(`${path}?fieldValidation=Strict&dryRun=All`, object);
  for (const object of objects) await session.create(`${path}?fieldValidation=Warn`, object);
  await world.send({ method: 'DELETE', path: `${crds}/${definition.metadata.name}` });
  return session;
}

const namespace = `samples-${Date.now().toString(36)}`;
const server = new ApiServer({ clock: systemClock, random: Math.random, cel, requiresNamespaces: true });
const worlds = [simulatedWorld(server.transport(undefined, 'conformance/1')), realWorld(kubeconfig)] as const;
for (const world of worlds)
  await world.send({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  });
let different = 0;
let refused = 0;
let requests = 0;
const definitions = chosen(directory);
for (const definition of definitions) {
  let found: readonly string[];
  try {
    const samples = sampled(definition);
    const [simulated, real] = await Promise.all(worlds.map((world) => transcript(world, definition, samples)));
    requests += real?.exchanges.length ?? 0;
    refused += real?.exchanges.filter(({ status }) => status >= 400).length ?? 0;
    found = differences(simulated?.exchanges ?? [], real?.exchanges ?? []);
  } catch (error) {
    found = [error instanceof Error ? error.message : String(error)];
  }
  say(`${found.length === 0 ? '✓' : '✗'} ${definition.metadata.name}`);
  if (found.length > 0) different += 1;
  for (const text of found.slice(0, 4)) say(`   ${text}`);
}
say(`${definitions.length} definitions, ${requests} requests of which ${refused} were refused, ${different} different`);
process.exitCode = different === 0 ? 0 : 1;
