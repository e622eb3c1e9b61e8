// Asks a real API server which schemas of the corpus it refuses, and with which words, and compares that with checkSchema.
//
//   npm run cluster -- control-plane
//   KUBECONFIG=… node --conditions=ordinal-source bench/schema/structural-agreement.ts [--seed 20] [--count 600] [--show 20] [--write]
//
// --write records the answers in libs/schema/test/structural-corpus.json, which the tests of the package and of the generator are held to.
import { writeFileSync } from 'node:fs';
import { checkSchema, fieldErrorMessage } from '@ordinal/schema';
import type { JsonObject, JsonSchemaProps } from '@ordinal/schema';
import { cel } from '@ordinal/schema/cel';
import { ApiServer } from './api-server.ts';
import { makeStructuralCorpus } from './structural-corpus.ts';
import type { StructuralCase } from './structural-corpus.ts';
import { readFlags } from '../../tools/flags/flags.ts';

const { values } = readFlags(
  'node --conditions=ordinal-source bench/schema/structural-agreement.ts [--seed 20] [--count 600] [--write]',
  {
    options: {
      seed: { type: 'string', default: '20' },
      count: { type: 'string', default: '600' },
      show: { type: 'string', default: '20' },
      write: { type: 'boolean', default: false },
    },
  },
);
// Where the API server says a schema stands that all versions share.
const root = 'spec.validation.openAPIV3Schema';

const definition = ({ schema, status }: StructuralCase): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'probes.structural.example.com' },
  spec: {
    group: 'structural.example.com',
    scope: 'Namespaced',
    names: { kind: 'Probe', plural: 'probes' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        ...(status === undefined ? {} : { subresources: { status: {} } }),
      },
    ],
  },
});

/**
 * The distinct words of a refusal in their order; none where the schema is taken. A schema is not written out in them, as the server does at the root,
 * and of a rule only that it does not compile, since the reasons are in other words.
 */
const sorted = (words: readonly string[]): string[] => [...new Set(words.map((each) => brief(each)))].sort();
const brief = (words: string): string =>
  /^\S+x-kubernetes-validations\S*: /.test(words)
    ? 'a rule does not compile'
    : words.replace(/Invalid value: \{"ID".*\}: only \[/, 'Invalid value: only [');

const kubeconfig = process.env.KUBECONFIG;
if (kubeconfig === undefined) {
  console.error('structural-agreement: needs KUBECONFIG of a control plane: npm run cluster -- control-plane');
  process.exit(2);
}
const api = new ApiServer(kubeconfig);
const version = String((await api.call('GET', '/version')).body.gitVersion);
const recorded: (StructuralCase & { refusal: string[] })[] = [];
const tally = { taken: 0, refused: 0, crashed: 0, verdicts: 0, messages: 0 };

/** Undefined where the API server's handler panics, which some defaults make it do: it closes the connection. */
async function refusalOf(each: StructuralCase): Promise<string[] | undefined> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
  const reply = await api.call('POST', path, definition(each)).catch(() => undefined);
  if (reply === undefined) return undefined;
  if (reply.code === 201) return [];
  const causes = ((reply.body.details as JsonObject | undefined)?.causes ?? []) as { field: string; message: string }[];
  return sorted(
    causes.length === 0 ? [String(reply.body.message)] : causes.map(({ field, message }) => `${field}: ${message}`),
  );
}

for (const each of makeStructuralCorpus(Number(values.seed), Number(values.count))) {
  const theirs = await refusalOf(each);
  if (theirs === undefined) {
    tally.crashed++;
    continue;
  }
  // Schemas of the corpus may be wrong in what they say, and not in the types of their keywords.
  const schema = each.schema as JsonSchemaProps;
  const options = { path: root, cel, statusSubresource: each.status === true };
  const ours = sorted(checkSchema(schema, options).map(fieldErrorMessage));
  recorded.push({ ...each, refusal: theirs });
  tally[theirs.length === 0 ? 'taken' : 'refused']++;
  const differs = (theirs.length === 0) !== (ours.length === 0);
  if (differs) tally.verdicts++;
  const only = (some: readonly string[], others: readonly string[]): string[] =>
    some.filter((t) => !others.includes(t));
  if (JSON.stringify(theirs) === JSON.stringify(ours)) continue;
  if (!differs) tally.messages++;
  if (tally.verdicts + tally.messages > Number(values.show)) continue;
  console.log(
    `${JSON.stringify(each)}\n  only server: ${JSON.stringify(only(theirs, ours))}\n  only ours:   ${JSON.stringify(only(ours, theirs))}`,
  );
}
api.close();
if (values.write) {
  const file = new URL('../../libs/schema/test/structural-corpus.json', import.meta.url);
  const lines = recorded.map((each) => JSON.stringify(each)).join(',\n');
  writeFileSync(file, `{"server":"${version}","cases":[\n${lines}]}\n`);
}
console.log(`${version}:`);
console.table(tally);
process.exitCode = tally.verdicts + tally.messages === 0 ? 0 : 1;
