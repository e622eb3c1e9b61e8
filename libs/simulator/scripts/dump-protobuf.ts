/**
 * Writes `src/builtin/protobuf.json`: how the built-in kinds look in protobuf. It is read off the `.proto` files in the Go module cache, and held against
 * `schemas.json`, which has to be there: that is where the names of fields in JSON come from.
 *
 * Run: `node scripts/dump-protobuf.ts GOMODCACHE VERSION`, for example with the version `0.36.3`.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [modules, version] = process.argv.slice(2);
if (modules === undefined || version === undefined) throw new Error('usage: dump-protobuf.ts GOMODCACHE VERSION');

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly 'x-kubernetes-group-version-kind'?: readonly unknown[];
}

const builtin = join(import.meta.dirname, '../src/builtin');
// Written by dump-builtin.ts.
const schemas = JSON.parse(readFileSync(join(builtin, 'schemas.json'), 'utf8')) as Record<string, Schema>;

/** A field as it is declared: `repeated` is marked with `[]`, a map with `{}` before the type of its values. */
interface Field {
  readonly number: string;
  readonly name: string;
  readonly type: string;
}

const declared = new Map<string, readonly Field[]>();

function readProto(file: string): void {
  const text = readFileSync(file, 'utf8').replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, '');
  const own = /^package ([\w.-]+);/m.exec(text)?.[1] ?? '';
  for (const [, message = '', body = ''] of text.matchAll(/^message (\w+) \{([\s\S]*?)^\}/gm)) {
    const fields = [
      ...body.matchAll(/^\s*(?:(optional|repeated)\s+([\w.-]+)|map<string,\s*([\w.-]+)>)\s+(\w+)\s*=\s*(\d+)/gm),
    ].map(([, label, plain, value, name = '', number = '']) => ({
      number,
      name,
      type: `${value === undefined ? (label === 'repeated' ? '[]' : '') : '{}'}${qualified(own, plain ?? value ?? '')}`,
    }));
    declared.set(definitionName(`${own}.${message}`), fields);
  }
}

const scalars = new Set(['string', 'bool', 'int32', 'int64', 'double', 'bytes']);

function qualified(own: string, type: string): string {
  if (scalars.has(type)) return type;
  return definitionName(type.replace(/^\./, '').includes('.') ? type.replace(/^\./, '') : `${own}.${type}`);
}

/** A message's name as OpenAPI has it. */
const definitionName = (name: string): string =>
  name.replace(/^k8s\.io\./, 'io.k8s.').replace('_apiserver', '-apiserver');

function filesUnder(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('generated.proto'))
    .map((name) => join(directory, name));
}

for (const name of ['api', 'apimachinery', 'apiextensions-apiserver'])
  for (const file of filesUnder(join(modules, `k8s.io/${name}@v${version}`))) readProto(file);

const letters = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** A field's name in JSON; empty where its own fields stand in its place. */
function jsonName(message: string, { name, type }: Field): string {
  const properties = schemas[message]?.properties;
  if (properties === undefined || name in properties) return name;
  const other = Object.keys(properties).find((property) => letters(property) === letters(name));
  return other ?? (type.startsWith('io.k8s.') ? '' : name);
}

const messages: Record<string, Record<string, readonly [name: string, type: string]>> = {};

function take(message: string): void {
  const fields = declared.get(message);
  if (message in messages || fields === undefined) return;
  messages[message] = Object.fromEntries(
    fields.map((field) => [field.number, [jsonName(message, field), field.type] as const]),
  );
  for (const { type } of fields) take(type.replace(/^(\[\]|\{\})/, ''));
}

for (const [name, schema] of Object.entries(schemas))
  if (schema['x-kubernetes-group-version-kind'] !== undefined) take(name);
take('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions');

writeFileSync(join(builtin, 'protobuf.json'), `${JSON.stringify(messages)}\n`);
