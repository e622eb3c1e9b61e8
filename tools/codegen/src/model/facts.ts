import type { JsonSchemaProps, ValidationRule } from '@ordinal/schema';

/**
 * What a schema says beyond its TypeScript type, as docstring lines: default, bounds, pattern, format, rules. Two structures are the same only where
 * these are the same too, so that a shared docstring is true of each place.
 */
export function factsOf(schema: JsonSchemaProps): string[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  return [
    ...formatFact(schema),
    ...boundFacts(schema),
    ...junctorFacts(schema),
    ...listFacts(schema),
    ...rules.filter((rule) => !isImmutability(rule)).map(ruleFact),
    ...(rules.some(isImmutability) ? ['\0@immutable'] : []),
    ...(hasDefault(schema) ? [`\0@default ${printJson(schema.default)}`] : []),
  ];
}

/** True where the API server fills the field in. A null default of a field that is not nullable counts for nothing. */
export function hasDefault(schema: JsonSchemaProps): boolean {
  return schema.default !== undefined && (schema.default !== null || schema.nullable === true);
}

/** True for the rule that forbids every change: `self == oldSelf`. */
export function isImmutability(rule: ValidationRule): boolean {
  return (
    typeof rule.rule === 'string' && /^\(?\s*(?:self\s*==\s*oldSelf|oldSelf\s*==\s*self)\s*\)?$/.test(rule.rule.trim())
  );
}

/** The paths below a node that a rule of the form `self.a.b == oldSelf.a.b` makes immutable. */
export function immutableBelow(rule: ValidationRule): string[] | undefined {
  const match = /^self((?:\.[A-Za-z_]\w*)+)\s*==\s*oldSelf((?:\.[A-Za-z_]\w*)+)$/.exec(String(rule.rule).trim());
  return match?.[1] !== undefined && match[1] === match[2] ? match[1].slice(1).split('.') : undefined;
}

const formats: Readonly<Record<string, string>> = {
  int64: '64-bit integer: beyond 2^53 - 1 a number loses digits.',
  'date-time': 'RFC 3339 date and time.',
  byte: 'Base64.',
  duration: 'Duration such as `1h30m`.',
};

function formatFact(schema: JsonSchemaProps): string[] {
  const { format } = schema;
  if (typeof format !== 'string' || format === '' || silentFormats.has(format)) return [];
  return [formats[format] ?? `Format ${format}.`];
}

/** Formats that say nothing that the type does not. */
const silentFormats = new Set(['int32', 'int-or-string', 'double', 'float', 'string']);

function boundFacts(schema: JsonSchemaProps): string[] {
  const facts = [
    bound('at least', schema.minimum, schema.exclusiveMinimum === true ? 'more than' : undefined),
    bound('at most', schema.maximum, schema.exclusiveMaximum === true ? 'less than' : undefined),
    bound('a multiple of', schema.multipleOf),
    range('character', schema.minLength, schema.maxLength),
    range('item', schema.minItems, schema.maxItems),
    range('entry', schema.minProperties, schema.maxProperties),
    schema.pattern === undefined || schema.pattern === '' ? undefined : `matches \`${schema.pattern}\``,
  ].filter((fact) => fact !== undefined);
  return facts.length === 0 ? [] : [`${capital(facts.join(', '))}.`];
}

const bound = (words: string, value: number | undefined, exclusive?: string): string | undefined =>
  value === undefined ? undefined : `${exclusive ?? words} ${printNumber(value)}`;

/** YAML's reader gives the bounds of 64-bit integers as the nearest floating-point number. */
function printNumber(value: number): string {
  if (value === 2 ** 63) return '9223372036854775807';
  return value === -(2 ** 63) ? '-9223372036854775808' : String(value);
}

function range(unit: string, from: number | undefined, to: number | undefined): string | undefined {
  if (to === undefined) return from === undefined || from === 0 ? undefined : `at least ${counted(from, unit)}`;
  if (from === undefined || from === 0) return `at most ${counted(to, unit)}`;
  return from === to ? counted(to, unit) : `${String(from)} to ${counted(to, unit)}`;
}

const plurals: Readonly<Record<string, string>> = { entry: 'entries' };
const counted = (count: number, unit: string): string =>
  `${String(count)} ${count === 1 ? unit : (plurals[unit] ?? `${unit}s`)}`;
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Says in words what an anyOf or oneOf of `required` demands; other value validation is left to the validator. */
function junctorFacts(schema: JsonSchemaProps): string[] {
  return (['anyOf', 'oneOf'] as const).flatMap((junctor) => {
    const alternatives = schema[junctor]?.map((entry) =>
      Object.keys(entry).every((key) => key === 'required') ? entry.required : undefined,
    );
    if (
      alternatives === undefined ||
      alternatives.length < 2 ||
      alternatives.some((names) => names === undefined || names.length === 0)
    )
      return [];
    const words = alternatives.map((names) => names?.map((name) => `\`${name}\``).join(' with '));
    return [`${junctor === 'oneOf' ? 'Exactly' : 'At least'} one of ${words.join(', ')}.`];
  });
}

function listFacts(schema: JsonSchemaProps): string[] {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] === 'map' && keys !== undefined)
    return [`Entries are distinguished by ${keys.map((key) => `\`${key}\``).join(' and ')}.`];
  return schema['x-kubernetes-list-type'] === 'set' ? ['No item twice.'] : [];
}

function ruleFact(rule: ValidationRule): string {
  const message = typeof rule.message === 'string' ? rule.message.trim() : '';
  return message === ''
    ? `Rule: \`${String(rule.rule).trim().replace(/\s+/g, ' ')}\``
    : `Rule: ${message.replace(/\s+/g, ' ')}`;
}

function printJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
