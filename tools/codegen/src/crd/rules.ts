import type { JsonSchemaProps } from '@ordinal/schema';
import { UnsupportedRule, cel } from '@ordinal/schema/cel';
import { CodegenError } from '../error.ts';
import type { Definition } from './definition.ts';
import { locate } from './locate.ts';
import type { DocumentPath } from './locate.ts';
import { describeRefusal, findRefused, refusalOf, stepsOf } from './refused.ts';

/**
 * Compiles the CEL rules of every served version, as their validators will. Throws a `CodegenError` with file, line and schema path for the first rule
 * that can't be evaluated, or that an API server refuses for its estimated cost: a validator that leaves a rule out would pass what the API server refuses.
 * The same for a default that breaks a rule, which is asked last: by then what rules may cost is bounded.
 */
export function checkRules(definition: Definition): void {
  definition.versions.forEach((version, index) => {
    if (version.served === false) return;
    const { group, names, source, root } = definition;
    const refuse = (steps: DocumentPath, message: string, cause?: Error): never => {
      const place = locate(source, [...root, 'spec', 'versions', index, 'schema', ...steps]);
      throw new CodegenError('Unsupported', `${group}/${version.name} ${names.kind}: ${message}`, { place, cause });
    };
    try {
      const [tooDear] = cel.compile(version.schema.openAPIV3Schema).costErrors('openAPIV3Schema');
      if (tooDear !== undefined) refuse(stepsOf(tooDear.field), describeRefusal(refusalOf(tooDear)));
    } catch (error) {
      if (!(error instanceof UnsupportedRule)) throw error;
      const advice = 'correct the rule, or leave validators and constructs out (--only types,clients)';
      refuse(stepsOf(error.path), `a CEL rule can not be evaluated: ${error.message}; ${advice}`, error);
    }
    // Everything else was looked for when the definition was read.
    const refused = judgesDefault(version.schema.openAPIV3Schema) ? findRefused(version, cel) : undefined;
    if (refused !== undefined) refuse(['openAPIV3Schema', ...refused.path], describeRefusal(refused));
  });
}

/** True where a default may break a rule: a rule stands at it or inside of what it fills. */
function judgesDefault(schema: JsonSchemaProps): boolean {
  if (schema.default !== undefined && schema.default !== null && hasRule(schema)) return true;
  return childrenOf(schema).some(judgesDefault);
}

const hasRule = (schema: JsonSchemaProps): boolean =>
  schema['x-kubernetes-validations'] !== undefined || childrenOf(schema).some(hasRule);

function childrenOf({ properties, items, additionalProperties }: JsonSchemaProps): JsonSchemaProps[] {
  const values = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [...Object.values(properties ?? {}), ...(items === undefined ? [] : [items]), ...values];
}
