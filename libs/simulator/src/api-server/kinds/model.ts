import type { Instant } from '@ordinal/client';
import type { Fields } from '../apply/fields.ts';
import type { Identity, JsonObject } from '../request.ts';
import type { TypeNode } from '../schema/type-node.ts';
import type { FieldCause } from '../status.ts';
import type { ServerResource } from '../resources/resource.ts';
import type { StoredObject } from '../object.ts';

/** What a write knows of the world around it. */
export interface WriteContext {
  readonly resource: ServerResource;
  readonly subresource: string | undefined;
  /** Nothing will be stored. */
  readonly dryRun: boolean;
  /** Who writes. */
  readonly user: Identity;
  readonly now: Instant;
  /** Reads another object of the cluster, by where its kind is kept and its key. */
  readonly lookup: (storage: string, key: string) => StoredObject | undefined;
  /** Where what is accepted with a warning goes. */
  readonly warn: (texts: readonly string[]) => void;
}

/** An object before it has all of a stored one's metadata. */
export type Draft = JsonObject;

/** What is particular to a kind: its type, how it is read, what may be written. All functions are pure. */
export interface KindModel {
  readonly type: TypeNode;
  /** The kind's empty object: what a new object is compared with to tell who set what. */
  readonly empty: JsonObject;
  /** Reads an object: drops what is unknown, fills in defaults. Refuses with 400 what is not of the type. */
  decode(object: JsonObject): { readonly object: JsonObject; readonly unknown: readonly string[] };
  /** Fields that writes through an endpoint (`''` for the main one) reset, and so never own. */
  ignored(subresource: string): Fields;
  /** What the server sets, or takes away, before it validates a new object. */
  prepareForCreate(object: Draft, context: WriteContext): Draft;
  /** Whether a new object, before it is read back, lacks in the store what reading fills in: its first change is one, whatever it says. */
  defaultedWhenRead(object: Draft): boolean;
  /** An object that was converted to this version: without what the version does not know. */
  pruned(object: JsonObject): JsonObject;
  /** An object as it is read from the store, to which it was written. */
  stored(object: JsonObject): JsonObject;
  /** What it sets or keeps before it validates a change. */
  prepareForUpdate(object: Draft, old: StoredObject, context: WriteContext): Draft;
  validateCreate(object: Draft, context: WriteContext): readonly FieldCause[];
  validateUpdate(object: Draft, old: StoredObject, context: WriteContext): readonly FieldCause[];
  /** What the server accepts with a warning. */
  warnings(object: Draft): readonly string[];
  /** Whether an update without a resourceVersion is refused. */
  readonly requiresVersion: boolean;
  /** Whether an update of an absent object creates it. */
  readonly createsOnUpdate: boolean;
}
