import { schemaOf } from './definitions.ts';

/** Kinds of Kubernetes that our pages name, and of their readers. */
const others: ReadonlySet<string> = new Set([
  'crd',
  'pods',
  'pvc',
  'deployment',
  'leases',
  'statefulset',
  'timers.v2.example.com',
  'persistentvolumeclaims',
  'validatingadmissionpolicy',
  'validatingwebhookconfiguration',
]);

/** Verbs whose first argument is a resource. */
const ofResources: ReadonlySet<string> = new Set(['get', 'describe', 'delete', 'patch', 'annotate', 'wait']);

const ofFlags: ReadonlySet<string> = new Set([
  'apply',
  'replace',
  'create',
  'exec',
  'logs',
  'rollout',
  'auth',
  'drain',
  'ordinal',
]);

/** What is wrong with the arguments of kubectl: kinds that nothing serves, and paths and patches that the schema of one of our kinds does not have. */
export function kubectlErrors([verb = '', ...rest]: readonly string[]): readonly string[] {
  if (!ofResources.has(verb)) return ofFlags.has(verb) ? [] : [`kubectl ${verb}: not expected`];
  const first = rest.find((word) => !word.startsWith('-')) ?? '';
  if (rest.includes('--raw') || rest.includes('-f') || first.startsWith('$')) return [];
  const names = (first.split('/')[0] ?? '').split(',');
  const unknown = names.filter((name) => !others.has(name) && name !== 'ordinal' && schemaOf(name) === undefined);
  return [
    ...unknown.map((name) => `kubectl ${verb} ${name}: nothing serves that`),
    ...names.flatMap((name) => [...pathErrors(name, rest), ...patchErrors(name, rest)]),
  ];
}

/** Paths in `jsonpath={.status…}`, as far as they are plain. */
function pathErrors(name: string, words: readonly string[]): readonly string[] {
  const schema = schemaOf(name)?.root;
  if (schema === undefined) return [];
  const paths = words
    .filter((word) => word.includes('jsonpath='))
    .flatMap((word) => [...word.matchAll(/\{\.((?:spec|status)(?:\.\w+)*)/g)].map(([, path = '']) => path));
  return paths.filter((path) => !hasPath(schema, path.split('.'))).map((path) => `${name} has no ${path}`);
}

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
}

const hasPath = (node: Node | undefined, [name, ...rest]: readonly string[]): boolean =>
  name === undefined || (node?.properties?.[name] !== undefined && hasPath(node.properties[name], rest));

/** Fields of a merge patch that the API server would drop. */
function patchErrors(name: string, words: readonly string[]): readonly string[] {
  const patch = words[words.indexOf('-p') + 1];
  const schema = schemaOf(name);
  if (!words.includes('-p') || patch === undefined || schema === undefined) return [];
  const object = { ...(JSON.parse(patch) as object), apiVersion: schema.apiVersion, kind: schema.kind };
  return schema
    .compiled()
    .admit(object)
    .unknownFields.map((field) => `${name} has no ${field}`);
}
