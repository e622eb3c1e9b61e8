// Asks a real API server what it makes of each rule of expressions.ts: refused with the CRD, true, false or an error, and
// in which words; and compares with @ordinal/schema/cel.
//
//   npm run cluster -- control-plane
//   KUBECONFIG=… node --conditions=ordinal-source bench/schema/expression-agreement.ts
import { setTimeout as sleep } from 'node:timers/promises';
import { checkSchema, compileSchema, copyJson, fieldErrorBody } from '@ordinal/schema';
import type { JsonObject, JsonSchemaProps } from '@ordinal/schema';
import { cel } from '@ordinal/schema/cel';
import { ApiServer } from './api-server.ts';
import { object, rules, schema } from './expressions.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = 'expressions.example.com';

function withRules(list: readonly string[]): JsonSchemaProps {
  const copy = structuredClone(schema) as JsonSchemaProps;
  copy.properties!.spec!['x-kubernetes-validations'] = list.map((rule) => ({ rule }));
  return copy;
}

function crd(plural: string, list: readonly string[]): object {
  const kind = plural[0]!.toUpperCase() + plural.slice(1);
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: withRules(list) } }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { kind, plural }, versions },
  };
}

function refusedByUs(rule: string): string | undefined {
  const [error] = checkSchema(withRules([rule]), { cel });
  return error?.detail;
}

const kubeconfig = process.env.KUBECONFIG;
if (kubeconfig === undefined) {
  console.error('expression-agreement: needs KUBECONFIG of a control plane: npm run cluster -- control-plane');
  process.exit(2);
}
const api = new ApiServer(kubeconfig);
const accepted: string[] = [];
let differing = 0;
for (const rule of rules) {
  const reply = await api.call('POST', `${crds}?dryRun=All`, crd('probes', [rule]));
  const theirs = reply.code === 201 ? undefined : String(reply.body.message);
  const ours = refusedByUs(rule);
  if (theirs === undefined && ours === undefined) accepted.push(rule);
  if ((theirs === undefined) === (ours === undefined)) continue;
  differing++;
  console.log(`${rule}\n  server: ${theirs?.slice(0, 400) ?? 'takes it'}\n  ours:   ${ours ?? 'take it'}`);
}
await api.call('DELETE', `${crds}/probes.${group}`);
await sleep(1000);
const created = await api.call('POST', crds, crd('probes', accepted));
if (created.code !== 201) throw new Error(JSON.stringify(created.body));
const path = `/apis/${group}/v1/namespaces/default/probes`;
for (let attempt = 0; attempt < 100 && (await api.call('GET', path)).code !== 200; attempt++) await sleep(100);
const body = {
  apiVersion: `${group}/v1`,
  kind: 'Probes',
  metadata: { name: 'probe' },
  ...copyJson(object as JsonObject),
};
const reply = await api.call('POST', `${path}?dryRun=All`, body);
const causes = ((reply.body.details as JsonObject | undefined)?.causes ?? []) as { message: string }[];
const theirs = new Set(causes.map(({ message }) => message));
const compiled = compileSchema(withRules(accepted), { cel });
compiled.admit(body);
const ours = new Set(compiled.validate(body).map(fieldErrorBody));
for (const words of theirs) if (!ours.has(words)) console.log(`only server: ${words}`);
for (const words of ours) if (!theirs.has(words)) console.log(`only ours:   ${words}`);
await api.call('DELETE', `${crds}/probes.${group}`);
api.close();
console.log(
  `${String(rules.length)} rules, ${String(accepted.length)} taken by both, ${String(differing)} taken by one only; of those that ran, ${String(theirs.size)} failed on the server and ${String(ours.size)} here`,
);
process.exitCode =
  differing === 0 && [...theirs].every((words) => ours.has(words)) && theirs.size === ours.size ? 0 : 1;
