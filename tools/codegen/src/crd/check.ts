import { CodegenError } from '../error.ts';
import type { Definition, DefinitionNames, DefinitionSource, DefinitionVersion } from './definition.ts';
import { findMalformed } from './form.ts';
import { locate } from './locate.ts';
import type { DocumentPath } from './locate.ts';
import { findWrongNames, findWrongVersion } from './keywords.ts';
import type { FormFault } from './keywords.ts';
import { withoutNulls } from './plain.ts';
import { describeRefusal, findRefused } from './refused.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * A manifest as a definition. Throws a `CodegenError` with the file and line where it is not a CRD that an API server of today takes:
 * another apiVersion, missing names, names that are not DNS labels, no served version, a schema that is missing or not structural.
 */
export function parseDefinition(given: Json, source: DefinitionSource, root: DocumentPath = []): Definition {
  const refuse = (path: DocumentPath, message: string): never => {
    const code = path[0] === 'apiVersion' ? 'NotACrd' : 'Unsupported';
    throw new CodegenError(code, message, { place: locate(source, [...root, ...path]) });
  };
  const manifest = withoutNulls(given) as Json;
  checkApiVersion(manifest['apiVersion'], refuse);
  const spec = asObject(manifest['spec']) ?? refuse(['spec'], 'the CRD has no spec; give the whole CRD');
  const group = nonEmpty(spec['group']) ?? refuse(['spec', 'group'], 'spec.group is missing; name the API group');
  if (!dnsName.test(group)) refuse(['spec', 'group'], `spec.group ${group} is not a DNS name; correct it`);
  const names = checkNames(asObject(spec['names']) ?? {}, refuse);
  const scope = spec['scope'];
  if (scope !== 'Namespaced' && scope !== 'Cluster')
    return refuse(['spec', 'scope'], 'spec.scope is neither Namespaced nor Cluster; say which');
  const versions = checkVersions(spec['versions'], refuse);
  const definition: Definition = { source, root, manifest, group, names, scope, versions };
  versions.forEach((version, index) => {
    const at = ['spec', 'versions', index, 'schema', 'openAPIV3Schema'];
    const who = `${group}/${version.name} ${names.kind}`;
    const fault = findMalformed(version.schema.openAPIV3Schema);
    if (fault !== undefined)
      refuse([...at, ...fault.path], `${who}: the schema can not be read at ${describe(fault.path)}: ${fault.message}`);
    const refused = findRefused(version);
    if (refused !== undefined) refuse([...at, ...refused.path], `${who}: ${describeRefusal(refused)}`);
  });
  return definition;
}

type Refuse = (path: DocumentPath, message: string) => never;

const dnsName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const dnsLabel = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const versionName = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const kindName = /^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$/;

function checkApiVersion(apiVersion: unknown, refuse: Refuse): void {
  if (apiVersion === 'apiextensions.k8s.io/v1') return;
  if (apiVersion === 'apiextensions.k8s.io/v1beta1') {
    refuse(
      ['apiVersion'],
      'apiextensions.k8s.io/v1beta1 is not served since Kubernetes 1.22; convert the CRD to apiextensions.k8s.io/v1',
    );
  }
  refuse(
    ['apiVersion'],
    `not a CRD of apiextensions.k8s.io/v1: apiVersion is ${JSON.stringify(apiVersion) ?? 'missing'}; correct it`,
  );
}

function checkNames(names: Json, refuse: Refuse): DefinitionNames {
  const kind = nonEmpty(names['kind']) ?? refuse(['spec', 'names'], 'spec.names.kind is missing; name the kind');
  const plural =
    nonEmpty(names['plural']) ?? refuse(['spec', 'names'], 'spec.names.plural is missing; name the resource');
  if (!kindName.test(kind)) refuse(['spec', 'names', 'kind'], `spec.names.kind ${kind} is not a DNS label; correct it`);
  if (!dnsLabel.test(plural))
    refuse(['spec', 'names', 'plural'], `spec.names.plural ${plural} is not a DNS label; correct it`);
  refuseFault(findWrongNames(names), ['spec', 'names'], refuse);
  return {
    kind,
    plural,
    ...optional('singular', nonEmpty(names['singular'])),
    ...optional('listKind', nonEmpty(names['listKind'])),
    ...optional('shortNames', strings(names['shortNames'])),
    ...optional('categories', strings(names['categories'])),
  };
}

function checkVersions(value: unknown, refuse: Refuse): DefinitionVersion[] {
  if (!Array.isArray(value) || value.length === 0)
    return refuse(['spec', 'versions'], 'spec.versions is empty; a CRD has at least one version');
  const seen = new Set<string>();
  const versions = value.map((entry: unknown, index) => {
    const at = ['spec', 'versions', index];
    const version = asObject(entry) ?? refuse(at, 'the version is not an object; correct it');
    const name = nonEmpty(version['name']) ?? refuse(at, 'the version has no name; name it');
    if (!versionName.test(name)) refuse([...at, 'name'], `the version name ${name} is not a DNS label; correct it`);
    if (seen.has(name)) refuse([...at, 'name'], `the version ${name} is defined twice; remove one`);
    seen.add(name);
    const schema = asObject(asObject(version['schema'])?.['openAPIV3Schema']);
    if (schema === undefined) {
      return refuse(
        at,
        `the version ${name} has no schema (schema.openAPIV3Schema); apiextensions.k8s.io/v1 requires one`,
      );
    }
    refuseFault(findWrongVersion(version), at, refuse);
    return version as unknown as DefinitionVersion;
  });
  const stored = versions.filter((version) => version.storage).length;
  if (stored !== 1)
    refuse(['spec', 'versions'], `${String(stored)} versions have storage: true; exactly one version is stored`);
  return versions;
}

function refuseFault(fault: FormFault | undefined, at: DocumentPath, refuse: Refuse): void {
  if (fault !== undefined) refuse([...at, ...fault.path], fault.message);
}

const describe = (path: DocumentPath): string => (path.length === 0 ? 'its root' : path.join('.'));
const asObject = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
const nonEmpty = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const strings = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
const optional = <K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> =>
  value === undefined ? {} : ({ [key]: value } as Record<K, V>);
