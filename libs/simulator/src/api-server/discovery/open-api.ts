import type { KindModels } from '../kinds/models.ts';
import type { JsonObject } from '../request.ts';
import type { ResourceRegistry, ServerResource } from '../resources/resource.ts';
import { groupVersion } from '../resources/resource.ts';

const pathOf = ({ group, version }: Pick<ServerResource, 'group' | 'version'>): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;

/** `/openapi/v3`: where the document of each group and version is. */
export function openApiIndex(registry: ResourceRegistry): JsonObject {
  const paths = new Set(registry.all().map(pathOf));
  return {
    paths: Object.fromEntries([...paths].map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}` }])),
  };
}

/** The parameters that clients look for to know what the server can do. */
const v3Parameters = ['fieldManager', 'fieldValidation', 'dryRun'].map((name) => ({
  name,
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
}));

function operations(resource: ServerResource, parameters: readonly JsonObject[]): JsonObject {
  const { group, version, kind } = resource;
  const marked = (action: string) => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
    responses: {},
    parameters,
  });
  return { get: marked('get'), put: marked('put'), patch: marked('patch'), delete: marked('delete') };
}

/** What can be done with one object of each kind. */
export function operationPaths(served: readonly ServerResource[], parameters: readonly JsonObject[]): JsonObject {
  const paths = served.map((resource) => {
    const place = resource.namespaced
      ? `namespaces/{namespace}/${resource.plural}/{name}`
      : `${resource.plural}/{name}`;
    return [`/${pathOf(resource)}/${place}`, operations(resource, parameters)] as const;
  });
  return Object.fromEntries(paths);
}

/** The document of one group and version; undefined where nothing is served. */
export function openApiDocument(
  { resources, models }: { readonly resources: ResourceRegistry; readonly models: KindModels },
  group: string,
  version: string,
): JsonObject | undefined {
  const served = resources.all().filter((resource) => resource.group === group && resource.version === version);
  if (served.length === 0) return undefined;
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: `${groupVersion({ group, version })} simulated` },
    paths: operationPaths(served, v3Parameters),
    components: { schemas: models.openApiSchemas(served) },
  };
}
