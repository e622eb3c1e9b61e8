import { embeddedKey, embeddedLink } from './embedded.ts';

/** What of a schema the reference shows. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly nullable?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly Rule[];
  readonly [embeddedKey]?: string;
}

/** A CEL rule of a schema. */
interface Rule {
  readonly rule: string;
  readonly message?: string;
}

/** One field as the reference lists it. */
export interface Field {
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** The fields below a schema in the order in which the CRD has them, each before its own. */
export function fieldsBelow(schema: Schema, path: string): readonly Field[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const at = `${path}.${name}`;
    return [{ path: at, schema: child, required: required.has(name) }, ...inside(child, at)];
  });
}

function inside(schema: Schema, path: string): readonly Field[] {
  const { items, additionalProperties: values } = schema;
  return [
    ...fieldsBelow(schema, path),
    ...(items ? inside(items, `${path}[]`) : []),
    ...(typeof values === 'object' ? inside(values, `${path}.*`) : []),
  ];
}

/** A field's type in a word or two; an embedded Kubernetes type as a link. */
export function typeOf(schema: Schema): string {
  const embedded = schema[embeddedKey];
  if (embedded !== undefined) return embeddedLink(embedded);
  if (schema['x-kubernetes-int-or-string']) return 'integer or string';
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (typeof schema.additionalProperties === 'object') return `map of ${typeOf(schema.additionalProperties)}`;
  const format = schema.format === undefined || schema.format.startsWith('int') ? '' : ` (${schema.format})`;
  return `${schema.type ?? 'any'}${format}`;
}

const range = (low: number | undefined, high: number | undefined, of: string): string[] => {
  if (low === undefined && high === undefined) return [];
  if (low === undefined) return [`${of}at most ${high}`];
  return [high === undefined ? `${of}at least ${low}` : `${of}${low} to ${high}`];
};

/** A rule that compares with the former value by equality alone makes the field unchangeable. */
const immutableRule = 'self == oldSelf';

const bounds = (schema: Schema): string[] => [
  ...(schema.enum ? [schema.enum.map((value) => `\`${String(value)}\``).join(', ')] : []),
  ...range(schema.minimum, schema.maximum, ''),
  ...range(schema.minLength, schema.maxLength, 'length '),
  ...range(schema.minItems, schema.maxItems, 'items '),
  ...range(schema.minProperties, schema.maxProperties, 'entries '),
  ...(schema.pattern === undefined ? [] : [`pattern ${code(schema.pattern)}`]),
];

/** What a value has to satisfy, beside its type. */
export function constraintsOf(schema: Schema): readonly string[] {
  const keys = schema['x-kubernetes-list-map-keys'];
  const { items } = schema;
  return [
    ...bounds(schema),
    ...(keys ? [`unique by ${keys.map(code).join(', ')}`] : []),
    ...(schema['x-kubernetes-list-type'] === 'set' ? ['no value twice'] : []),
    ...(items && !items.properties ? bounds(items).map((text) => `each: ${text}`) : []),
  ];
}

/** Whether the field can be set only once. */
export function isImmutable(schema: Schema): boolean {
  return (schema['x-kubernetes-validations'] ?? []).some(({ rule }) => rule.trim() === immutableRule);
}

/** The CEL rules that stand at a schema, and at the items of a list, in words where the CRD has them. */
export function rulesOf(schema: Schema): readonly string[] {
  const own = schema['x-kubernetes-validations'] ?? [];
  const ofItems = schema.items?.['x-kubernetes-validations'] ?? [];
  return [...own, ...ofItems]
    .filter(({ rule }) => rule.trim() !== immutableRule)
    .map(({ rule, message }) => message ?? rule);
}

/** Text as code in a table's cell. */
export function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`';
  return `${fence}${text.replaceAll('|', '\\|')}${fence}`;
}
