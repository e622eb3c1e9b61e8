import type { JsonObject } from '../request.ts';

type OwnForm = (message: JsonObject) => unknown;

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const apiextensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

const seconds = (message: JsonObject): number => Number(message['seconds'] ?? 0);
const nanos = (message: JsonObject): number => Number(message['nanos'] ?? 0);

/** Go leaves the zero time empty, and writes it as null. */
const time: OwnForm = (message) =>
  message['seconds'] === undefined ? null : `${new Date(seconds(message) * 1000).toISOString().slice(0, 19)}Z`;

const microTime: OwnForm = (message) => {
  if (message['seconds'] === undefined) return null;
  const micros = String(Math.floor(nanos(message) / 1000)).padStart(6, '0');
  return `${new Date(seconds(message) * 1000).toISOString().slice(0, 19)}.${micros}Z`;
};

/** A number where the type says so: 0 is a number, 1 a text. */
const intOrString: OwnForm = ({ type, intVal, strVal }) => (type === 1 ? (strVal ?? '') : (intVal ?? 0));

/** JSON in bytes, which were read as base64. */
const embedded =
  (field: string): OwnForm =>
  (message) => {
    const bytes = Buffer.from(String(message[field] ?? ''), 'base64');
    return bytes.length === 0 ? null : (JSON.parse(bytes.toString('utf8')) as unknown);
  };

/** Fields of a schema that are pointers in Go, or anything: their zero values count. */
const kept: ReadonlySet<string> = new Set(['default', 'example', 'x-kubernetes-preserve-unknown-fields']);

/** A schema's zero values are left out here, because OpenAPI says nothing of what is inside `items` and its like. */
const schemaProps: OwnForm = (message) =>
  Object.fromEntries(
    Object.entries(message).filter(([key, value]) => kept.has(key) || (value !== '' && value !== false)),
  );

const list: OwnForm = ({ items }) => items ?? [];

/** Messages whose JSON is not an object with their fields, and what it is instead: what these types' `MarshalJSON` does. */
export const ownForms: ReadonlyMap<string, OwnForm> = new Map([
  [`${meta}.Time`, time],
  [`${meta}.MicroTime`, microTime],
  [`${meta}.FieldsV1`, embedded('Raw')],
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', ({ string }: JsonObject) => string ?? '0'],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', intOrString],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', embedded('raw')],
  ['io.k8s.api.authorization.v1.ExtraValue', list],
  ['io.k8s.api.authentication.v1.ExtraValue', list],
  [`${apiextensions}.JSONSchemaProps`, schemaProps],
  [`${apiextensions}.JSON`, embedded('raw')],
  [`${apiextensions}.JSONSchemaPropsOrArray`, ({ schema, jSONSchemas }: JsonObject) => jSONSchemas ?? schema ?? null],
  [`${apiextensions}.JSONSchemaPropsOrBool`, ({ schema, allows }: JsonObject) => schema ?? allows ?? false],
  [`${apiextensions}.JSONSchemaPropsOrStringArray`, ({ schema, property }: JsonObject) => property ?? schema ?? null],
]);
