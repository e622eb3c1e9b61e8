// Asks a real API server for its verdict on each rule of the corpus, and compares it with checkSchema's: whether the cost is too high, and by what factor.
//
//   npm run cluster -- control-plane
//   KUBECONFIG=… node --conditions=ordinal-source bench/schema/cost-agreement.ts [--seed 16] [--count 1000] [--write]
//
// --write records the verdicts in libs/schema/test/cost-corpus.json, which the package's tests and `npm run attack` hold both to.
import { writeFileSync } from 'node:fs';
import { checkSchema } from '@ordinal/schema';
import type { JsonObject, JsonSchemaProps } from '@ordinal/schema';
import { cel } from '@ordinal/schema/cel';
import { ApiServer } from './api-server.ts';
import { makeCorpus } from './cost-corpus.ts';
import type { Corpus, CorpusCase } from './cost-corpus.ts';
import { readFlags } from '../../tools/flags/flags.ts';

const { values } = readFlags(
  'node --conditions=ordinal-source bench/schema/cost-agreement.ts [--seed 16] [--count 1000] [--write]',
  {
    options: {
      seed: { type: 'string', default: '16' },
      count: { type: 'string', default: '1000' },
      write: { type: 'boolean', default: false },
    },
  },
);
// Where the API server says a schema stands that all versions share.
const root = 'spec.validation.openAPIV3Schema';

function schemaWith({ schemas }: Corpus, { schema, ...rule }: CorpusCase): JsonSchemaProps {
  const copy = structuredClone(schemas[schema]!);
  const { spec, specs } = copy.properties!;
  (spec ?? specs!.items!)['x-kubernetes-validations'] = [rule];
  return copy;
}

const definition = (schema: JsonSchemaProps): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'probes.cost.example.com' },
  spec: {
    group: 'cost.example.com',
    scope: 'Namespaced',
    names: { kind: 'Probe', plural: 'probes' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

/** Only that a rule does not compile is compared, since the reasons are in other words. */
const verdict = (field: string, message: string): string =>
  message.includes('cost')
    ? `${field.replace(root, '')}: ${message.replace(/^Forbidden: /, '').replace(/ \(try .*\)$/, '')}`
    : 'does not compile';

const kubeconfig = process.env.KUBECONFIG;
if (kubeconfig === undefined) {
  console.error('cost-agreement: needs KUBECONFIG of a control plane: npm run cluster -- control-plane');
  process.exit(2);
}
const api = new ApiServer(kubeconfig);
const version = String((await api.call('GET', '/version')).body.gitVersion);
const corpus = makeCorpus(Number(values.seed), Number(values.count));
const recorded: { verdict: string[] }[] = [];
let [differing, tooDear] = [0, 0];
for (const each of corpus.cases) {
  const schema = schemaWith(corpus, each);
  const reply = await api.call(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
    definition(schema),
  );
  const causes = ((reply.body.details as JsonObject | undefined)?.causes ?? []) as { field: string; message: string }[];
  const theirs = causes.map(({ field, message }) => verdict(field, message)).sort();
  const ours = checkSchema(schema, { path: root, cel })
    .map(({ field, detail }) => verdict(field, detail ?? ''))
    .sort();
  // Where a part does not compile nothing more is looked at here.
  const refused = 'does not compile';
  const comparable = theirs.includes(refused) ? [refused] : theirs;
  recorded.push({ ...each, verdict: comparable });
  if (theirs.some((words) => words.includes('exceeds'))) tooDear++;
  if (JSON.stringify(comparable) === JSON.stringify(ours)) continue;
  differing++;
  console.log(
    `${each.rule} ${each.messageExpression ?? ''}\n  server: ${theirs.join('; ') || 'takes it'}\n  ours:   ${ours.join('; ') || 'take it'}`,
  );
}
api.close();
if (values.write) {
  const file = new URL('../../libs/schema/test/cost-corpus.json', import.meta.url);
  const lines = (list: readonly unknown[]): string => list.map((each) => JSON.stringify(each)).join(',\n');
  const { schemas } = corpus;
  writeFileSync(file, `{"server":"${version}","schemas":[\n${lines(schemas)}],\n"cases":[\n${lines(recorded)}]}\n`);
}
console.log(
  `${version}: ${String(corpus.cases.length)} rules, ${String(tooDear)} too dear for the server; ${String(differing)} verdicts differ`,
);
process.exitCode = differing === 0 ? 0 : 1;
