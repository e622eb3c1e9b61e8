import { ApiError } from '@ordinal/client';
import { cel } from '@ordinal/schema/cel';
import { parseAllDocuments } from 'yaml';
import { CompiledKinds } from '../api-server/index.ts';
import type { ApiServer } from '../api-server/index.ts';

/** Creates CustomResourceDefinitions from YAML texts or objects. Throws an `ApiError` where the server refuses one. */
export function installDefinitions(definitions: readonly (string | object)[], server: ApiServer): Promise<void> {
  for (const definition of definitions.flatMap(documentsOf)) {
    const reply = server.execute({
      verb: 'create',
      resource: { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
      body: definition,
    });
    // The body of a refusal is a Status.
    if (reply.status >= 400)
      throw new ApiError(reply.body as unknown as ConstructorParameters<typeof ApiError>[0], 'install CRDs');
  }
  return Promise.resolve();
}

/**
 * Kinds that were compiled, and YAML that was parsed, in this process: results of pure functions, kept because a definition with embedded pod templates
 * takes longer to read than a whole history takes to run. Programs have a handful of them.
 */
export const compiledKinds = new CompiledKinds(cel);
const parsed = new Map<string, readonly object[]>();

function documentsOf(definition: string | object): readonly object[] {
  if (typeof definition !== 'string') return [definition];
  let documents = parsed.get(definition);
  if (documents === undefined) {
    documents = parseAllDocuments(definition).flatMap((document) => {
      const value: unknown = document.toJSON();
      return typeof value === 'object' && value !== null ? [value] : [];
    });
    parsed.set(definition, documents);
  }
  return documents;
}
