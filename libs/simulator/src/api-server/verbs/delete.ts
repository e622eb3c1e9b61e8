import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import { checkDeletion } from '../admission/builtin.ts';
import type { Steps } from '../admission/steps.ts';
import { validate } from '../admission/webhooks.ts';
import { markedDefinition } from '../custom/termination.ts';
import { definitionStorage } from '../kinds/definition-costs.ts';
import { part } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { StoredObject } from '../object.ts';
import type { ApiReply, ApiRequest, JsonObject } from '../request.ts';
import { itemPresenter } from '../resources/present.ts';
import { shown } from '../custom/conversion.ts';
import { groupVersion } from '../resources/resource.ts';
import type { ServerResource } from '../resources/resource.ts';
import { keyOf, liveObject, nameOf, resourceOf } from '../resources/target.ts';
import type { ApiServer } from '../server.ts';
import { badRequest, conflict, invalid, notFound, Refusal } from '../status.ts';
import { decideDeletion, gracePeriod } from './deletion.ts';
import type { DeleteOptions } from './deletion.ts';
import { selectionOf } from './read.ts';
import { WriteScope } from './write-scope.ts';

/** Kinds whose deletion is answered with the object that went, not with a Status. */
const showsDeleted: ReadonlySet<string> = new Set([
  'pods',
  'services',
  'serviceaccounts',
  'persistentvolumeclaims',
  ...['storageclasses', 'csidrivers', 'csinodes', 'volumeattachments', 'volumeattributesclasses'].map(
    (plural) => `${plural}.storage.k8s.io`,
  ),
  'resourceclaims.resource.k8s.io',
  'resourceclaimtemplates.resource.k8s.io',
  'deviceclasses.resource.k8s.io',
  'resourceslices.resource.k8s.io',
  'persistentvolumes',
  'podtemplates',
  'resourcequotas',
]);

/** Deletes an object, or marks it where finalizers or its grace period keep it. */
export function* deleteOne(server: ApiServer, request: ApiRequest): Steps<ApiReply> {
  const resource = resourceOf(server.resources, request, 'delete');
  const scope = new WriteScope(server, request, resource);
  checkDeletion({ resource, name: nameOf(request) });
  const options = deleteOptionsOf(request);
  const live = liveObject(server.store, resource, request);
  return yield* remove(scope, live, options);
}

/** Deletes all objects that are selected. */
export function* deleteCollection(server: ApiServer, request: ApiRequest): Steps<ApiReply> {
  const resource = resourceOf(server.resources, request, 'deletecollection');
  const scope = new WriteScope(server, request, resource);
  const options = deleteOptionsOf(request);
  const selects = selectionOf(resource, request);
  const present = itemPresenter(resource);
  const selected: (readonly [key: string, object: StoredObject, seen: JsonObject])[] = [];
  for (const [key, object] of server.store.snapshot(resource.storage)) {
    // Converted, it keeps the metadata of a stored object.
    const seen = resource.conversion ? ((yield* shown(server, resource, object)) as unknown as StoredObject) : object;
    if (selects(seen)) selected.push([key, object, present(seen)]);
  }
  for (const [key, object] of selected)
    if (server.store.get(resource.storage, key) === object) yield* removeIfThere(scope, object, options);
  return {
    status: 200,
    body: {
      kind: `${resource.kind}List`,
      apiVersion: groupVersion(resource),
      metadata: { resourceVersion: String(server.store.revision), ...(resource.custom && { continue: '' }) },
      items: selected.map(([, , seen]) => seen),
    },
  };
}

/** Deletes an object of a collection. That it is gone meanwhile is as good. */
function* removeIfThere(scope: WriteScope, live: StoredObject, options: DeleteOptions): Steps<unknown> {
  try {
    return yield* remove(scope, live, options);
  } catch (refusal) {
    if (refusal instanceof Refusal && refusal.status.code === 404) return undefined;
    throw refusal;
  }
}

/** Deletes an object that was found. Refuses with 404 where it has gone while webhooks were asked. */
export function* remove(scope: WriteScope, live: StoredObject, options: DeleteOptions): Steps<ApiReply> {
  const { server, resource } = scope;
  checkPreconditions(resource, live, options);
  for (let asked = timesAsked(live, options, server.clock.now()); asked > 0; asked -= 1)
    yield* validate(
      server,
      scope.attributes({
        operation: 'DELETE',
        name: live.metadata.name,
        object: undefined,
        // It keeps the metadata of a stored object.
        oldObject: (yield* shown(server, resource, live)) as unknown as StoredObject,
        dryRun: scope.dryRun || options.dryRun === true,
        options: shownOptions(live, options),
      }),
    );
  const key = keyOf(resource, live.metadata.namespace, live.metadata.name);
  // Webhooks took their time: the object may be gone by now, and another may have its name.
  const current = server.store.get(resource.storage, key);
  if (current === undefined) throw notFound(resource, live.metadata.name);
  checkPreconditions(resource, current, options);
  if (resource.storage === 'namespaces') return terminateNamespace(scope, key, current);
  if (resource.storage === definitionStorage && current.metadata.deletionTimestamp === undefined) {
    const marked = markedDefinition(current, server.clock.now());
    const written = scope.dryRun || options.dryRun === true ? marked : server.write(resource, key, marked);
    return { status: 200, body: written as unknown as JsonObject, warnings: scope.warnings };
  }
  const deletion = decideDeletion(current, options, server.clock.now());
  const dryRun = scope.dryRun || options.dryRun === true;
  const done = (body: JsonObject): ApiReply => ({ status: 200, body, warnings: scope.warnings });
  switch (deletion.outcome) {
    case 'pending':
      return done(yield* shown(server, resource, current));
    case 'marked':
      return done(
        yield* shown(
          server,
          resource,
          dryRun || unchanged(deletion.object, current)
            ? deletion.object
            : server.write(resource, key, deletion.object),
        ),
      );
    case 'removed': {
      if (dryRun) return done(showsDeleted.has(resource.storage) ? asIs(current) : success(resource, current));
      const marked = deletion.marked === undefined ? current : server.write(resource, key, deletion.marked);
      const last = server.erase(resource, key, marked);
      return done(showsDeleted.has(resource.storage) ? asIs(last) : success(resource, current));
    }
  }
}

/** Kinds that are shown when they are deleted are served in one version. */
const asIs = (object: StoredObject): JsonObject => object as unknown as JsonObject;

const unchanged = (next: StoredObject, live: StoredObject): boolean => JSON.stringify(next) === JSON.stringify(live);

/** A namespace waits for its content to go. */
function terminateNamespace(
  { server, resource, warnings, dryRun }: WriteScope,
  key: string,
  live: StoredObject,
): ApiReply {
  const object = live as unknown as JsonObject;
  const done = (body: JsonObject): ApiReply => ({ status: 200, body, warnings });
  const waits =
    Array.isArray(part(object, 'spec')['finalizers']) &&
    (part(object, 'spec')['finalizers'] as readonly string[]).length > 0;
  if (live.metadata.deletionTimestamp === undefined) {
    const marked = {
      ...live,
      metadata: { ...live.metadata, deletionTimestamp: timestamp(server.clock.now()) },
      status: { ...part(object, 'status'), phase: 'Terminating' },
    };
    if (dryRun) return done(marked as unknown as JsonObject);
    const stored = server.write(resource, key, marked);
    if (waits || (live.metadata.finalizers ?? []).length > 0) return done(stored as unknown as JsonObject);
    return done(server.erase(resource, key, stored) as unknown as JsonObject);
  }
  if (waits || (live.metadata.finalizers ?? []).length > 0) return done(object);
  return done(server.erase(resource, key, live) as unknown as JsonObject);
}

function checkPreconditions(
  { group, kind }: ServerResource,
  live: StoredObject,
  { preconditions }: DeleteOptions,
): void {
  const { name, uid, resourceVersion } = live.metadata;
  // The server names the kind here where it names the resource elsewhere.
  const subject = { group, version: '', plural: kind };
  if (preconditions?.uid !== undefined && preconditions.uid !== uid)
    throw conflict(
      subject,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion)
    throw conflict(
      subject,
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
}

/** The options of a delete: from its body, or from its parameters. */
export function deleteOptionsOf(request: ApiRequest): DeleteOptions {
  const body = isObject(request.body) ? request.body : {};
  if (body['kind'] !== undefined && body['kind'] !== 'DeleteOptions')
    throw badRequest(
      `no kind "${String(body['kind'])}" is registered for version "${String(body['apiVersion'] ?? 'meta.k8s.io/v1')}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  const dryRun = Array.isArray(body['dryRun']) && body['dryRun'].length > 0;
  const { orphanDependents } = body;
  const options = {
    ...(body as DeleteOptions),
    ...request.options,
    ...(orphanDependents === true && { propagationPolicy: 'Orphan' as const }),
    ...(orphanDependents === false && { propagationPolicy: 'Background' as const }),
  };
  const { propagationPolicy } = options;
  if (propagationPolicy !== undefined && !['Background', 'Foreground', 'Orphan'].includes(propagationPolicy))
    throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [
      {
        reason: 'FieldValueNotSupported',
        message: `Unsupported value: "${String(propagationPolicy)}": supported values: "Foreground", "Background", "Orphan", "nil"`,
        field: 'propagationPolicy',
      },
    ]);
  return dryRun ? { ...options, dryRun } : { ...options, dryRun: request.options?.dryRun === true };
}

/**
 * How often webhooks are asked about a delete. Not at all where it changes nothing, because the pod ends already; twice for a pod that goes at once: when it is
 * marked, and when it is removed.
 */
function timesAsked(live: StoredObject, options: DeleteOptions, now: Instant): number {
  const deletion = decideDeletion(live, options, now);
  if (deletion.outcome === 'pending') return 0;
  return deletion.outcome === 'removed' && deletion.marked !== undefined ? 2 : 1;
}

/** The options of a delete as reviews show them: those of a pod with the time that it gets. */
function shownOptions(live: StoredObject, options: DeleteOptions): JsonObject {
  const { dryRun, propagationPolicy, preconditions } = options;
  const gracePeriodSeconds = gracePeriod(live, options) ?? options.gracePeriodSeconds;
  return {
    kind: 'DeleteOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(preconditions !== undefined && { preconditions }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(dryRun === true && { dryRun: ['All'] }),
  };
}

function success(resource: ServerResource, { metadata }: StoredObject): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: metadata.name,
      ...(resource.group !== '' && { group: resource.group }),
      kind: resource.plural,
      uid: metadata.uid,
    },
  };
}
