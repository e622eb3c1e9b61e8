import { ApiError } from '@ordinal/client';
import { parseAllDocuments } from 'yaml';
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

function documentsOf(definition: string | object): readonly unknown[] {
  if (typeof definition !== 'string') return [definition];
  return parseAllDocuments(definition).flatMap((document) =>
    document.contents === null ? [] : [document.toJSON() as unknown],
  );
}
