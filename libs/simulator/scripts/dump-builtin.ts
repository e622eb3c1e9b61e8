/**
 * Writes `src/builtin/*.json`: the built-in kinds as data. Schemas, discovery and roles come from a running API server (KUBECONFIG's `kubectl`), beside
 * which no controller runs; what Go does
 * with zero values, which OpenAPI can't say, is read off the struct tags in the Go module cache.
 *
 * Run: `KUBECONFIG=… node scripts/dump-builtin.ts KUBECTL GOMODCACHE VERSION`, for example with the version `0.36.3`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Json = Record<string, unknown>;

const [kubectl, modules, version] = process.argv.slice(2);
if (kubectl === undefined || modules === undefined || version === undefined)
  throw new Error('usage: dump-builtin.ts KUBECTL GOMODCACHE VERSION');

const groups = [
  'api/v1',
  'apis/apps/v1',
  'apis/batch/v1',
  'apis/policy/v1',
  'apis/rbac.authorization.k8s.io/v1',
  'apis/coordination.k8s.io/v1',
  'apis/events.k8s.io/v1',
  'apis/discovery.k8s.io/v1',
  'apis/apiextensions.k8s.io/v1',
  'apis/admissionregistration.k8s.io/v1',
  'apis/authorization.k8s.io/v1',
  'apis/authentication.k8s.io/v1',
  'apis/storage.k8s.io/v1',
  'apis/networking.k8s.io/v1',
  'apis/scheduling.k8s.io/v1',
  'apis/autoscaling/v1',
  'apis/autoscaling/v2',
  'apis/node.k8s.io/v1',
  'apis/resource.k8s.io/v1',
  'apis/certificates.k8s.io/v1',
  'apis/flowcontrol.apiserver.k8s.io/v1',
  'apis/apiregistration.k8s.io/v1',
];

const raw = (path: string): Json =>
  JSON.parse(execFileSync(kubectl, ['get', '--raw', path], { maxBuffer: 1 << 28, encoding: 'utf8' })) as Json;

/** Descriptions are prose of others, and half of the bytes. */
function strip(value: unknown, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map((item) => strip(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, entry]) => isProperties || key !== 'description' || typeof entry !== 'string')
      .map(([key, entry]) => [key, strip(entry, key === 'properties' && !isProperties)]),
  );
}

const without = (object: Json, field: string): Json =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== field));

/** Meta types list every group and version that has them; we know them anyway. */
function withoutSharedKinds(name: string, definition: Json): Json {
  if (!name.startsWith('io.k8s.apimachinery.')) return definition;
  return without(definition, 'x-kubernetes-group-version-kind');
}

/** Descriptions that are kept: those of metadata. */
const describedKinds = ['ObjectMeta', 'OwnerReference', 'ManagedFieldsEntry', 'FieldsV1', 'Time'];

const textsOf = (properties: Json): Json =>
  Object.fromEntries(Object.entries(properties).map(([field, each]) => [field, (each as Json)['description']]));

function descriptionsIn(schemas: Readonly<Record<string, Json>>): Json {
  const kept = describedKinds.map((kind) => {
    const name = `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`;
    const { description, properties } = schemas[name] ?? {};
    return [name, { description, ...(properties !== undefined && { properties: textsOf(properties as Json) }) }];
  });
  const { apiVersion, kind, metadata } = schemas['io.k8s.api.core.v1.Pod']?.['properties'] as Json;
  return Object.fromEntries([...kept, ['object', { properties: textsOf({ apiVersion, kind, metadata }) }]]) as Json;
}

const definitions: Record<string, Json> = {};
let descriptions: Json = {};
const resources: Json[] = [];
for (const group of groups) {
  const document = raw(`/openapi/v3/${group}`) as { components: { schemas: Record<string, Json> } };
  if (group === 'api/v1') descriptions = descriptionsIn(document.components.schemas);
  for (const [name, definition] of Object.entries(document.components.schemas))
    definitions[name] = withoutSharedKinds(name, strip(definition) as Json);
  const list = raw(`/${group}`) as { groupVersion: string; resources: Json[] };
  for (const resource of list.resources)
    resources.push({ groupVersion: list.groupVersion, ...without(resource, 'storageVersionHash') });
}

const sources: Record<string, string> = {
  'io.k8s.api.': `k8s.io/api@v${version}/`,
  'io.k8s.apimachinery.': `k8s.io/apimachinery@v${version}/`,
  'io.k8s.apiextensions-apiserver.': `k8s.io/apiextensions-apiserver@v${version}/`,
  'io.k8s.kube-aggregator.': `k8s.io/kube-aggregator@v${version}/`,
};

const directories = new Map<string, Map<string, string>>();

/** The struct bodies of a Go package, by type name. */
function structsOf(directory: string): Map<string, string> {
  const known = directories.get(directory);
  if (known) return known;
  const structs = new Map<string, string>();
  for (const file of existsSync(directory) ? readdirSync(directory) : []) {
    if (!file.endsWith('.go') || file.endsWith('_test.go') || file.startsWith('zz_') || file.startsWith('generated'))
      continue;
    const text = readFileSync(join(directory, file), 'utf8');
    for (const match of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm))
      structs.set(match[1] ?? '', match[2] ?? '');
  }
  directories.set(directory, structs);
  return structs;
}

const packages: Record<string, string> = {
  metav1: `k8s.io/apimachinery@v${version}/pkg/apis/meta/v1`,
  v1: `k8s.io/api@v${version}/core/v1`,
  corev1: `k8s.io/api@v${version}/core/v1`,
  batchv1: `k8s.io/api@v${version}/batch/v1`,
};

/** Types with a JSON form of their own that are structs all the same. */
const marshalled = new Set([
  'metav1.Time',
  'metav1.MicroTime',
  'resource.Quantity',
  'intstr.IntOrString',
  'runtime.RawExtension',
]);

function namesStruct(directory: string, goType: string): boolean {
  if (marshalled.has(goType)) return true;
  const [alias = '', name] = goType.split('.');
  if (name === undefined) return structsOf(directory).has(goType);
  const other = packages[alias];
  return other !== undefined && structsOf(join(modules ?? '', other)).has(name);
}

interface Shape {
  /** Fields whose zero value is kept when it is given: pointers. */
  keep: string[];
  /** Fields that are written whether they were given or not. */
  always: string[];
}

function shapeOf(directory: string, type: string, shape: Shape): Shape {
  for (const line of (structsOf(directory).get(type) ?? '').split('\n')) {
    const field = /^\s*(?:(\w+)\s+)?(\*?[\w.[\]*]+)\s+`.*?json:"([^"]*)"/.exec(line);
    if (!field) continue;
    const goType = field[2] ?? '';
    const [name = '', ...flags] = (field[3] ?? '').split(',');
    if (name === '-') continue;
    if (name === '' || flags.includes('inline')) {
      if (!goType.includes('.')) shapeOf(directory, goType, shape);
      continue;
    }
    const pointer = goType.startsWith('*');
    const omit = flags.includes('omitempty');
    const isStruct = namesStruct(directory, goType);
    if (flags.includes('omitzero')) continue;
    if (pointer && omit) shape.keep.push(name);
    else if (!omit || (!pointer && isStruct)) shape.always.push(name);
  }
  return shape;
}

const shapes: Record<string, Partial<Shape>> = {};
for (const name of Object.keys(definitions)) {
  const source = Object.keys(sources).find((prefix) => name.startsWith(prefix));
  if (source === undefined) continue;
  const parts = name.slice(source.length).split('.');
  const type = parts.pop() ?? '';
  const path = parts.join('/');
  const shape = shapeOf(join(modules, sources[source] ?? '', path), type, { keep: [], always: [] });
  if (shape.keep.length + shape.always.length > 0)
    shapes[name] = {
      ...(shape.keep.length > 0 && { keep: shape.keep }),
      ...(shape.always.length > 0 && { always: shape.always }),
    };
}

/** The roles that every cluster begins with, with their bindings. */
function bootstrapped(kind: string): readonly Json[] {
  const list = raw(`/apis/rbac.authorization.k8s.io/v1/${kind}`) as { items: (Json & { metadata: Json })[] };
  return list.items.map(({ metadata: { name, namespace, labels, annotations }, ...rest }) => ({
    metadata: { name, ...(namespace !== undefined && { namespace }), labels, annotations },
    ...rest,
  }));
}

const out = join(import.meta.dirname, '../src/builtin');
const write = (file: string, value: unknown): void => writeFileSync(join(out, file), `${JSON.stringify(value)}\n`);
write('schemas.json', definitions);
write('descriptions.json', descriptions);
write('resources.json', resources);
write('shapes.json', shapes);
write('roles.json', {
  source: `kube-apiserver ${version.replace(/^0/, 'v1')}, its bootstrap policy (kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy)`,
  license: 'Apache-2.0',
  clusterroles: bootstrapped('clusterroles'),
  clusterrolebindings: bootstrapped('clusterrolebindings'),
  roles: bootstrapped('roles'),
  rolebindings: bootstrapped('rolebindings'),
});
