import type { ScaleSubresource } from '@ordinal/client';
import { sameJson, timestamp } from '@ordinal/client';
import { acceptedStatus } from '../kinds/definition.ts';
import { definitionStorage } from '../kinds/definition-costs.ts';
import { items, part, specOf, texts } from '../kinds/spec.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { ConversionWebhook, ServerResource, Subresource } from '../resources/resource.ts';
import type { ApiServer } from '../server.ts';
import { Refusal } from '../status.ts';
import type { Change } from '../store/store.ts';
import { cleanUp, writeStatus } from './termination.ts';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

function subresourcesOf(version: JsonObject, group: string, kind: string): ReadonlyMap<string, Subresource> {
  const declared = part(version, 'subresources');
  const found = new Map<string, Subresource>();
  const own = { group, version: String(version['name']), verbs: ['get', 'patch', 'update'] };
  if (declared['status'] !== undefined) found.set('status', { ...own, kind });
  if (declared['scale'] !== undefined)
    found.set('scale', { ...own, group: 'autoscaling', version: 'v1', kind: 'Scale' });
  return found;
}

/** The server's own words for a deprecated version: what to use instead, where there is something. */
function deprecation(
  { group, kind, versions }: { group: string; kind: string; versions: readonly JsonObject[] },
  name: string,
): string {
  const better = versions.find((version) => version['served'] === true && version['deprecated'] !== true);
  const instead = better === undefined ? '' : `; use ${group}/${String(better['name'])} ${kind}`;
  return `${group}/${name} ${kind} is deprecated${instead}`;
}

/** The webhook that converts a definition's objects; undefined where only their `apiVersion` differs. */
function conversionOf(spec: JsonObject): ConversionWebhook | undefined {
  const conversion = part(spec, 'conversion');
  if (conversion['strategy'] !== 'Webhook') return undefined;
  const webhook = part(conversion, 'webhook');
  // Validation has looked at it.
  const clientConfig = part(webhook, 'clientConfig') as ConversionWebhook['clientConfig'];
  return { clientConfig, reviewVersions: texts(webhook['conversionReviewVersions']) };
}

/** The versions of a definition as kinds of the server. */
function resourcesOf(
  definition: JsonObject,
): readonly { readonly resource: ServerResource; readonly version: JsonObject }[] {
  const spec = specOf(definition);
  const names = part(spec, 'names');
  const group = String(spec['group']);
  const plural = String(names['plural']);
  const kind = String(names['kind']);
  const versions = items(spec['versions']);
  const storageVersion = String(
    versions.find((version) => version['storage'] === true)?.['name'] ?? versions[0]?.['name'],
  );
  const conversion = conversionOf(spec);
  return versions.map((version) => {
    const scale = part(version, 'subresources')['scale'] as ScaleSubresource | undefined;
    const resource: ServerResource = {
      group,
      version: String(version['name']),
      plural,
      singular: String(names['singular'] ?? kind.toLowerCase()),
      kind,
      namespaced: spec['scope'] === 'Namespaced',
      verbs,
      shortNames: texts(names['shortNames']),
      categories: texts(names['categories']),
      subresources: subresourcesOf(version, group, kind),
      storage: `${plural}.${group}`,
      storageVersion,
      custom: true,
      ...(conversion && { conversion }),
      printColumns: items(version['additionalPrinterColumns']),
      selectableFields: items(version['selectableFields']).map((field) => String(field['jsonPath']).replace(/^\./, '')),
      ...(version['deprecated'] === true && {
        deprecated: String(
          version['deprecationWarning'] ?? deprecation({ group, kind, versions }, String(version['name'])),
        ),
      }),
      ...(scale && { scale }),
    };
    return { resource, version };
  });
}

/** Keeps the server's kinds in step with its CustomResourceDefinitions: establishes those that come, removes those that go. */
export function followDefinitions(server: ApiServer): void {
  server.store.subscribe((change) => {
    if (change.kind === definitionStorage) follow(server, change);
    // The last object of a kind whose definition is to go takes it along.
    else if (change.deleted && server.store.count(change.kind) === 0) cleanUp(server, change.kind);
  });
}

function follow(server: ApiServer, { before, after, deleted }: Change): void {
  const definition = after as unknown as JsonObject;
  if (before) for (const { resource } of resourcesOf(before as unknown as JsonObject)) withdraw(server, resource);
  if (deleted) return;
  const versions = resourcesOf(definition);
  for (const { resource, version } of versions) {
    if (version['served'] === true) server.resources.add(resource);
    server.models.define(resource, part(part(version, 'schema'), 'openAPIV3Schema'));
  }
  const former = before && schemaOf(before as unknown as JsonObject);
  const stored = versions.find(({ resource }) => resource.version === resource.storageVersion);
  // When all versions are defined: objects may still be kept in another one than the next will be.
  if (stored && former !== undefined && !sameJson(former, schemaOf(definition))) reread(server, stored.resource);
  if (before && !sameJson(specOf(before as unknown as JsonObject)['conversion'], specOf(definition)['conversion']))
    server.endWatches(after.metadata.name);
  if (!Array.isArray(part(definition, 'status')['conditions'])) establish(server, after);
  else if (after.metadata.deletionTimestamp !== undefined) cleanUp(server, after.metadata.name);
}

/** The schema of the version that objects are kept in. */
const schemaOf = (definition: JsonObject): JsonObject => {
  const stored = items(specOf(definition)['versions']).find((version) => version['storage'] === true);
  return part(part(stored ?? {}, 'schema'), 'openAPIV3Schema');
};

/** Objects that are there are read by the new schema from now on: with its defaults, and without what it does not know. */
function reread(server: ApiServer, resource: ServerResource): void {
  server.store.reread(resource.storage, (object) => {
    const read = readAgain(server, resource, object);
    if (read === undefined || sameJson(read, object)) return object;
    // What the store has is without the defaults: the next write changes it, whatever it says.
    server.defaultedWhenRead.add(read);
    return read;
  });
}

/** An object as its kind reads it now; undefined where it can't be read as that. */
function readAgain(server: ApiServer, resource: ServerResource, object: StoredObject): StoredObject | undefined {
  try {
    const model = resource.conversion
      ? server.models.inVersion(resource, object.apiVersion)
      : server.models.of(resource);
    return model?.decode(object as unknown as JsonObject).object as unknown as StoredObject | undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function withdraw(server: ApiServer, resource: ServerResource): void {
  server.resources.remove(resource);
  server.models.forget(resource);
}

/** The server's own controllers accept the names at once. */
function establish(server: ApiServer, definition: StoredObject): void {
  const status = acceptedStatus(definition as unknown as JsonObject, timestamp(server.clock.now()));
  writeStatus(server, { ...definition, status });
}
