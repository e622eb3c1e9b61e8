import { sameJson } from '@ordinal/client';
import type { Steps } from '../admission/steps.ts';
import { withoutManagers } from '../apply/field-manager.ts';
import { metadataOf } from '../kinds/metadata-rules.ts';
import { without } from '../kinds/spec.ts';
import type { StoredObject } from '../object.ts';
import { freeze } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { presenter } from '../resources/present.ts';
import type { ServerResource } from '../resources/resource.ts';
import { groupVersion } from '../resources/resource.ts';
import { keyOf } from '../resources/target.ts';
import type { ApiServer } from '../server.ts';
import { uid } from '../metadata.ts';
import { unforeseen } from '../status.ts';
import { convertedOf } from './conversion-answer.ts';

/** How long the server waits for a conversion webhook, in seconds. No definition can say otherwise. */
const timeoutSeconds = 30;

/** Objects as other versions show them, by the kind's version: what the real server keeps in a cache for each version. */
export type ShownObjects = WeakMap<ServerResource, WeakMap<StoredObject, JsonObject>>;

/** An object of the store in the version of the resource, as a read of this one object shows it: the kind's conversion webhook is asked each time. */
export function* shownAfresh(server: ApiServer, resource: ServerResource, object: StoredObject): Steps<JsonObject> {
  if (resource.conversion === undefined) return presenter(resource)(object);
  return yield* convert(server, resource, {
    object: object as unknown as JsonObject,
    version: groupVersion(resource),
  });
}

/** An object of the store in the version of the resource. Asks the kind's conversion webhook where it has one, once for each state of an object. */
export function* shown(server: ApiServer, resource: ServerResource, object: StoredObject): Steps<JsonObject> {
  const version = groupVersion(resource);
  if (resource.conversion === undefined || object.apiVersion === version) return presenter(resource)(object);
  const known = server.shownObjects.get(resource) ?? new WeakMap<StoredObject, JsonObject>();
  server.shownObjects.set(resource, known);
  let converted = known.get(object);
  if (converted === undefined) {
    converted = freeze(yield* convert(server, resource, { object: object as unknown as JsonObject, version }));
    known.set(object, converted);
  }
  return converted;
}

/** An object on its way into the store: in the storage version, as it is read from there. */
export interface Kept {
  readonly object: JsonObject;
  /** What is stored, without what reading fills in. */
  readonly raw: JsonObject;
}

/** An object of a request as it is kept. Asks the kind's conversion webhook where it has one and the versions differ. */
export function* kept(server: ApiServer, resource: ServerResource, object: JsonObject): Steps<Kept> {
  if (!resource.custom) return { object, raw: object };
  const version = groupVersion({ group: resource.group, version: resource.storageVersion });
  if (object['apiVersion'] === version) return { object, raw: object };
  const raw =
    resource.conversion === undefined
      ? { ...object, apiVersion: version }
      : yield* convert(server, resource, { object, version });
  const model = resource.conversion && server.models.inVersion(resource, version);
  if (model === undefined) return { object: raw, raw };
  const { managedFields } = metadataOf(raw);
  const read = model.decode(withoutManagers(raw)).object;
  const whole = { ...read, metadata: { ...metadataOf(read), ...(managedFields !== undefined && { managedFields }) } };
  return sameJson(whole, raw) ? { object: raw, raw } : { object: whole, raw };
}

/** Stores what is kept. */
export function store(server: ApiServer, resource: ServerResource, { object, raw }: Kept): StoredObject {
  // It was built with all the metadata of a stored object.
  const whole = object as unknown as StoredObject;
  const { namespace, name } = whole.metadata;
  const stored = server.write(resource, keyOf(resource, namespace, name), whole);
  const { resourceVersion } = stored.metadata;
  if (raw !== object) server.rawObjects.set(stored, { ...raw, metadata: { ...metadataOf(raw), resourceVersion } });
  return stored;
}

/** An object in another version of its kind, by the kind's webhook. Refuses with 500, in the server's words, where that gives none. */
function* convert(
  server: ApiServer,
  resource: ServerResource,
  { object, version }: { readonly object: JsonObject; readonly version: string },
): Steps<JsonObject> {
  const { conversion } = resource;
  if (conversion === undefined || object['apiVersion'] === version || isEmpty(object))
    return { ...object, apiVersion: version };
  const reviewVersion = conversion.reviewVersions.find((known) => known === 'v1');
  if (reviewVersion === undefined) throw unforeseen('no supported conversion review versions');
  const requestUid = uid(server.random);
  const answer = yield {
    webhook: resource.storage,
    clientConfig: conversion.clientConfig,
    timeoutSeconds,
    review: {
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      request: { uid: requestUid, desiredAPIVersion: version, objects: [withoutVersion(object)] },
    },
  };
  const converted = convertedOf(answer, { object, version, uid: requestUid });
  if ('problem' in converted) throw unforeseen(`conversion webhook for ${named(object)} ${converted.problem}`);
  return server.models.inVersion(resource, version)?.pruned(converted.object) ?? converted.object;
}

/** An object in another version of its kind. */
export type Convert = (object: unknown, apiVersion: string) => unknown;

/** A conversion that was needed, and that the webhook has yet to be asked for. */
class Missing extends Error {
  readonly asked: { readonly object: JsonObject; readonly version: string };

  constructor(asked: Missing['asked']) {
    super(`${named(asked.object)} in ${asked.version}`);
    this.asked = asked;
  }
}

/**
 * Work that needs objects in other versions, and that is a plain function: what it needs is known only on its way. Where a conversion is missing, the kind's webhook is
 * asked, and the work begins again. So it must change nothing but what it gives back. Kinds without a webhook get no `convert`.
 */
export function* converting<T>(
  server: ApiServer,
  resource: ServerResource,
  work: (convert: Convert | undefined) => T,
): Steps<T> {
  if (resource.conversion === undefined) return work(undefined);
  const known = new Map<string, JsonObject>();
  const keyOfAsked = ({ object, version }: Missing['asked']): string => `${version} ${JSON.stringify(object)}`;
  const convertKnown: Convert = (object, version) => {
    // What has managed fields is an object.
    const asked = { object: object as JsonObject, version };
    const converted = known.get(keyOfAsked(asked));
    if (converted === undefined) throw new Missing(asked);
    return converted;
  };
  for (;;) {
    try {
      return work(convertKnown);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      known.set(keyOfAsked(error.asked), yield* convert(server, resource, error.asked));
    }
  }
}

/** What is stored has no resourceVersion: it is what etcd says of it. */
const withoutVersion = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: without(metadataOf(object), 'resourceVersion'),
});

/** An object that has nothing but its type is converted without a webhook. */
const isEmpty = (object: JsonObject): boolean =>
  Object.keys(object).every((key) => key === 'apiVersion' || key === 'kind');

const named = ({ apiVersion, kind }: JsonObject): string => `${String(apiVersion)}, Kind=${String(kind)}`;
