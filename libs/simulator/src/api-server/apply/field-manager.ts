import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import type { JsonObject } from '../request.ts';
import { isObject } from '../object.ts';
import { applyConflict } from './conflict.ts';
import { difference, isEmptySet, union } from './fields.ts';
import type { Fields } from './fields.ts';
import { asksForReset, decodeManagers, encodeManagers, managerId } from './managers.ts';
import type { Managed, ManagerName, Managers } from './managers.ts';
import { UnkeyedItem } from './path-element.ts';
import type { SharedFields } from './shared-fields.ts';
import type { ApplyOutcome } from './updater.ts';
import { areFromClientSide, withLastApplied } from './last-applied.ts';
import { applyConfiguration, trackUpdate } from './updater.ts';
import type { UpdateContext } from './updater.ts';
import { without } from '../kinds/spec.ts';

/** Update managers that are kept apart; the oldest beyond are merged into one. */
const maxUpdateManagers = 10;

/** What no manager owns: what the server itself sets. */
const system: Fields = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:name': {},
    'f:namespace': {},
    'f:creationTimestamp': {},
    'f:selfLink': {},
    'f:uid': {},
    'f:clusterName': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:resourceVersion': {},
  },
};

/** Who writes, through which endpoint. */
export interface Writer extends Omit<ManagerName, 'operation'> {
  readonly now: Instant;
  readonly context: UpdateContext;
  /** Where sets are kept that objects share. */
  readonly shared: SharedFields;
}

/** The object without its managed fields. */
export function withoutManagers(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || metadata['managedFields'] === undefined) return object;
  return { ...object, metadata: without(metadata, 'managedFields') };
}

function withManagers(object: JsonObject, managers: Managers, shared: SharedFields): JsonObject {
  const bare = withoutManagers(object);
  if (managers.size === 0) return bare;
  const managedFields = encodeManagers(managers, shared);
  return { ...bare, metadata: { ...(bare['metadata'] as JsonObject), managedFields } };
}

const entriesOf = (object: JsonObject): unknown =>
  isObject(object['metadata']) ? object['metadata']['managedFields'] : undefined;

/** The managers to go on from: those of the request where it names any, else those of the stored object. */
function managersFor(live: JsonObject, next: JsonObject, subresource: string): Managers {
  const stored = (): Managers => decodeManagers(entriesOf(live));
  if (subresource !== '') return stored();
  if (asksForReset(entriesOf(next))) return new Map();
  const own = decodeManagers(entriesOf(next));
  return own.size === 0 ? stored() : own;
}

/** Ownership after a create, update or patch. `live` is the kind's empty object when it is created. */
export function trackWrite(
  writer: Writer,
  objects: { readonly live: JsonObject; readonly next: JsonObject },
  created: boolean,
): JsonObject {
  const { live, next } = objects;
  const managers = managersFor(live, next, writer.subresource);
  if (managers.size === 0 && !created) return withoutManagers(next);
  try {
    return withManagers(next, takeOver(writer, { live, next, managers }), writer.shared);
  } catch (error) {
    // An object whose list items can't be distinguished is refused later, by validation; until then nothing has an owner.
    if (error instanceof UnkeyedItem) return withoutManagers(next);
    throw error;
  }
}

function takeOver(
  writer: Writer,
  { live, next, managers }: { live: JsonObject; next: JsonObject; managers: Managers },
): Managers {
  const before = withoutManagers(live);
  const after = withoutManagers(next);
  const tracked = trackUpdate(writer.context, { before, after }, managers);
  const own = difference(tracked.own, system);
  if (!isEmptySet(own)) {
    const name: ManagerName = { ...nameOf(writer), operation: 'Update' };
    const id = managerId(name);
    const previous = tracked.managers.get(id);
    tracked.managers.set(id, {
      ...name,
      fields: previous ? union(own, previous.fields) : own,
      // Ownership through the scale subresource is translated, and loses its time.
      time: writer.subresource === 'scale' ? undefined : timestamp(writer.now),
    });
  }
  return capUpdaters(tracked.managers);
}

const nameOf = ({ manager, apiVersion, subresource }: Writer): Omit<ManagerName, 'operation'> => ({
  manager,
  apiVersion,
  subresource,
});

/**
 * The object after an apply, with its managed fields. `live` is the kind's empty object when the apply creates. Refuses conflicts with 409. Where the
 * apply changes neither the object nor who owns what, `live` is given back itself.
 */
export function applyTracked(
  writer: Writer,
  { live, applied, force }: { readonly live: JsonObject; readonly applied: JsonObject; readonly force: boolean },
  empty: JsonObject,
): JsonObject {
  const before = withoutManagers(live);
  let managers = decodeManagers(entriesOf(live));
  if (managers.size === 0)
    managers = takeOver({ ...writer, manager: 'before-first-apply' }, { live: empty, next: before, managers });
  const name: ManagerName = { ...nameOf(writer), operation: 'Apply' };
  const id = managerId(name);
  const previous = managers.get(id);
  const self: Managed & { id: string } = { ...name, fields: {}, time: previous?.time, id };
  const apply = (forced: boolean): ApplyOutcome =>
    applyConfiguration(writer.context, { live: before, applied }, { managers, self, force: forced });
  const isKubectl = writer.manager === 'kubectl';
  let outcome = apply(force);
  const type = writer.context.typeOf(writer.apiVersion);
  if ('conflicts' in outcome && isKubectl && type && areFromClientSide(type, before, outcome.conflicts))
    outcome = apply(true);
  if ('conflicts' in outcome) throw applyConflict(outcome.conflicts);
  const result = stripped(outcome.managers, id);
  const own = result.get(id);
  if (outcome.object !== undefined && own) result.set(id, { ...own, time: timestamp(writer.now) });
  // A changed object is one still.
  const object = outcome.object === undefined ? before : (outcome.object as JsonObject);
  const merged = withManagers(object, result, writer.shared);
  return isKubectl ? withLastApplied(merged, applied) : merged;
}

function stripped(managers: Managers, id: string): Managers {
  const own = managers.get(id);
  if (own === undefined) return managers;
  const fields = difference(own.fields, system);
  if (isEmptySet(fields)) managers.delete(id);
  else managers.set(id, { ...own, fields });
  return managers;
}

/** Merges the oldest update managers of each version into one when there are too many. */
function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  let count = updaters.length;
  if (count <= maxUpdateManagers) return managers;
  updaters.sort(([leftId, left], [rightId, right]) => {
    const [a, b] = [left.time ?? '', right.time ?? ''];
    return a === b ? (leftId < rightId ? -1 : 1) : a < b ? -1 : 1;
  });
  const firstOf = new Map<string, string>();
  for (const [id, managed] of updaters) {
    if (count <= maxUpdateManagers) break;
    const bucket: ManagerName = {
      manager: 'ancient-changes',
      operation: 'Update',
      apiVersion: managed.apiVersion,
      subresource: '',
    };
    const bucketId = managerId(bucket);
    const first = firstOf.get(managed.apiVersion);
    if (first === undefined) {
      firstOf.set(managed.apiVersion, id);
      continue;
    }
    const earlier = managers.get(bucketId) ?? managers.get(first);
    if (!managers.has(bucketId)) managers.delete(first);
    managers.set(bucketId, { ...bucket, fields: union(managed.fields, earlier?.fields ?? {}), time: managed.time });
    managers.delete(id);
    count -= 1;
  }
  return managers;
}
