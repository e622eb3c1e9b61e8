import { UnsupportedRule, cel } from '@ordinal/schema/cel';
import { CodegenError } from '../error.ts';
import type { Definition } from './definition.ts';
import { locate } from './locate.ts';
import type { DocumentPath } from './locate.ts';
import { describeRefusal, findRefused, stepsOf } from './refused.ts';

/**
 * Compiles the CEL rules of every served version, as their validators will. Throws a `CodegenError` with file, line and schema path for the first rule
 * that can't be evaluated: a validator that leaves a rule out would pass what the API server refuses. The same for a default that breaks a rule.
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
      cel.compile(version.schema.openAPIV3Schema);
    } catch (error) {
      if (!(error instanceof UnsupportedRule)) throw error;
      const advice = 'correct the rule, or leave validators and constructs out (--only types,clients)';
      refuse(stepsOf(error.path), `a CEL rule can not be evaluated: ${error.message}; ${advice}`, error);
    }
    const refused = findRefused(version, cel);
    if (refused !== undefined) refuse(['openAPIV3Schema', ...refused.path], describeRefusal(refused));
  });
}
