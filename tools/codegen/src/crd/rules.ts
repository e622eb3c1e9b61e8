import { UnsupportedRule, cel } from '@ordinal/schema/cel';
import { CodegenError } from '../error.ts';
import type { Definition } from './definition.ts';
import { locate } from './locate.ts';
import type { DocumentPath } from './locate.ts';

/**
 * Compiles the CEL rules of every served version, as their validators will. Throws a `CodegenError` with file, line and schema path for the first rule
 * that can't be evaluated: a validator that leaves a rule out would pass what the API server refuses.
 */
export function checkRules(definition: Definition): void {
  definition.versions.forEach((version, index) => {
    if (version.served === false) return;
    try {
      cel.compile(version.schema.openAPIV3Schema);
    } catch (error) {
      if (!(error instanceof UnsupportedRule)) throw error;
      const { group, names, source, root } = definition;
      const message = `${group}/${version.name} ${names.kind}: a CEL rule can not be evaluated: ${error.message}; correct the rule, or leave validators and constructs out (--only types,clients)`;
      const path = [...root, 'spec', 'versions', index, 'schema', ...stepsOf(error.path)];
      throw new CodegenError('Unsupported', message, { place: locate(source, path), cause: error });
    }
  });
}

/** `openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule` as steps. */
const stepsOf = (path: string): DocumentPath =>
  [...path.matchAll(/([\w-]+)|\[([^\]]*)\]/g)].map(([, word, key = '']) =>
    word === undefined ? (/^\d+$/.test(key) ? Number(key) : key) : word,
  );
