import type { JsonSchemaProps } from '../schema-props.ts';

const step = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/;

/** What a path is followed through: a schema, or one that is compiled. */
interface Described {
  readonly properties: ReadonlyMap<string, Described>;
  readonly additionalProperties: Described | undefined;
}

/**
 * The `fieldPath` of a rule as errors print it: `.spec.names['a']` becomes `spec.names[a]` below a map. Undefined when
 * it leads to no field of the schema.
 */
export function rulePath(fieldPath: string, schema: Described): string | undefined {
  let rest = fieldPath;
  let at = schema;
  let path = '';
  while (rest !== '') {
    const match = step.exec(rest);
    if (match === null) return undefined;
    const name = match[1] ?? (match[2] ?? '').replace(/\\(.)/g, '$1');
    const named = at.properties.size > 0;
    if (named) path += path === '' ? name : `.${name}`;
    else path += `[${name}]`;
    const next = named ? at.properties.get(name) : at.additionalProperties;
    if (next === undefined) return undefined;
    at = next;
    rest = rest.slice(match[0].length);
  }
  return path;
}

/** A schema in the form that {@link rulePath} follows; what lies below is made on demand. */
export function described(schema: JsonSchemaProps): Described {
  const { properties = {}, additionalProperties } = schema;
  return {
    properties: new Map(Object.entries(properties).map(([name, property]) => [name, lazily(property)])),
    additionalProperties: typeof additionalProperties === 'object' ? lazily(additionalProperties) : undefined,
  };
}

function lazily(schema: JsonSchemaProps): Described {
  return {
    get properties() {
      return described(schema).properties;
    },
    get additionalProperties() {
      return described(schema).additionalProperties;
    },
  };
}
