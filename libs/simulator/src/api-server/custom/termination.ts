import { definitionStorage } from '../kinds/definition-costs.ts';
import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import { items, part, without } from '../kinds/spec.ts';
import type { StoredMeta, StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { ServerResource } from '../resources/resource.ts';
import type { ApiServer } from '../server.ts';
import { decideDeletion } from '../verbs/deletion.ts';

/** Keeps a definition until the objects of its kind are gone. */
const cleanup = 'customresourcecleanup.apiextensions.k8s.io';

const steps = {
  pending: [
    'True',
    'InstanceDeletionPending',
    'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  ],
  inProgress: ['True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress'],
  completed: ['False', 'InstanceDeletionCompleted', 'removed all instances'],
} as const;

/** Whether a definition waits for the end of its kind's objects: they can be changed and deleted, and none can be created. */
export function isTerminatingDefinition(definition: StoredObject | undefined): boolean {
  return (
    definition !== undefined &&
    items(part(definition as unknown as JsonObject, 'status')['conditions']).some(
      ({ type, status }) => type === 'Terminating' && status === 'True',
    )
  );
}

/** What the deletion of a definition makes of it first: marked, and kept by the server's own finalizer. */
export function markedDefinition(definition: StoredObject, now: Instant): StoredObject {
  const { finalizers = [] } = definition.metadata;
  const metadata = {
    ...definition.metadata,
    deletionTimestamp: timestamp(now),
    finalizers: finalizers.includes(cleanup) ? finalizers : [...finalizers, cleanup],
  };
  return withCondition({ ...definition, metadata }, 'pending', now);
}

/**
 * Carries a definition's deletion on, as the server's own controller does: deletes the objects of its kind, whose finalizers count, and lets the definition
 * go when none is left.
 */
export function cleanUp(server: ApiServer, name: string): void {
  const definition = server.store.get(definitionStorage, name);
  const resource = definitions(server);
  if (definition === undefined || resource === undefined || !isHeld(definition)) return;
  const now = server.clock.now();
  if (conditionOf(definition)?.['reason'] === steps.pending[1]) {
    writeStatus(server, withCondition(definition, 'inProgress', now));
    deleteObjects(server, name);
  }
  const current = server.store.get(definitionStorage, name);
  if (current === undefined || !isHeld(current) || server.store.count(name) > 0) return;
  const finalizers = (current.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanup);
  const kept = without(current.metadata as unknown as JsonObject, 'finalizers');
  // What was left out is optional.
  const metadata = { ...kept, ...(finalizers.length > 0 && { finalizers }) } as unknown as StoredMeta;
  const last = withCondition({ ...current, metadata }, 'completed', now);
  if (finalizers.length > 0) server.write(resource, name, last);
  else server.erase(resource, name, last);
}

/** Writes a definition's status, as the server does itself. */
export function writeStatus(server: ApiServer, definition: StoredObject): void {
  server.execute({
    verb: 'update',
    resource: { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
    name: definition.metadata.name,
    subresource: 'status',
    userAgent: 'kube-apiserver',
    body: definition,
  });
}

const definitions = (server: ApiServer): ServerResource | undefined =>
  server.resources.find({ group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' });

const isHeld = ({ metadata }: StoredObject): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(cleanup);

/** A definition's name is where the objects of its kind are kept. No webhook is asked. */
function deleteObjects(server: ApiServer, storage: string): void {
  const resource = server.resources.all().find((entry) => entry.custom && entry.storage === storage);
  if (resource === undefined) return;
  for (const [key, object] of server.store.snapshot(storage)) {
    const deletion = decideDeletion(object, {}, server.clock.now());
    if (deletion.outcome === 'removed') server.erase(resource, key, object);
    else if (deletion.outcome === 'marked' && object.metadata.deletionTimestamp === undefined)
      server.write(resource, key, deletion.object);
  }
}

function conditionOf(definition: StoredObject): JsonObject | undefined {
  return items(part(definition as unknown as JsonObject, 'status')['conditions']).find(
    ({ type }) => type === 'Terminating',
  );
}

function withCondition(definition: StoredObject, step: keyof typeof steps, now: Instant): StoredObject {
  const [status, reason, message] = steps[step];
  const old = conditionOf(definition);
  const state = part(definition as unknown as JsonObject, 'status');
  const lastTransitionTime = old?.['status'] === status ? old['lastTransitionTime'] : timestamp(now);
  const condition = { lastTransitionTime, message, reason, status, type: 'Terminating' };
  const others = items(state['conditions']);
  const conditions =
    old === undefined ? [...others, condition] : others.map((entry) => (entry === old ? condition : entry));
  return { ...definition, status: { ...state, conditions } };
}
