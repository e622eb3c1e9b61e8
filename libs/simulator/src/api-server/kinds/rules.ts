import type { StoredObject } from '../object.ts';
import type { FieldCause } from '../status.ts';
import type { Draft, WriteContext } from './model.ts';
import type { NameRule } from './names.ts';

/** What a subresource that is written like the object itself changes of it, and what is wrong with that. */
export interface SubresourceRules {
  readonly update: (object: Draft, old: StoredObject) => Draft;
  readonly validate: (object: Draft, old: StoredObject) => readonly FieldCause[];
}

/** What is particular to a built-in kind. What is left out is as most kinds have it. */
export interface KindRules {
  /** Whether `metadata.generation` counts the changes of what is desired. */
  readonly generation?: boolean;
  /** Whether a change of annotations counts as well. */
  readonly generationOfAnnotations?: boolean;
  readonly nameRule?: NameRule;
  /** Fields beside `spec` that a write to the status resets, as paths of elements. */
  readonly statusResets?: readonly (readonly string[])[];
  /** Lists that are there always. Protobuf knows no empty list: one is null when it is read from the store again. */
  readonly nullWhenEmpty?: readonly string[];
  readonly requiresVersion?: boolean;
  readonly createsOnUpdate?: boolean;
  /** True where only the registry checks changed metadata. Elsewhere the kind's own rules check it as well, and the server reports each cause twice. */
  readonly reportsMetadataOnce?: boolean;
  /** What the server sets, or takes away, in a new object. */
  readonly create?: (object: Draft, context: WriteContext) => Draft;
  /**
   * Whether a new object is stored without something that the server fills in whenever it reads it. The first write after that stores it, and is a change
   * even where it says nothing new.
   */
  readonly defaultedWhenRead?: (object: Draft) => boolean;
  /** What it sets or keeps in a changed one (main endpoint). */
  readonly update?: (object: Draft, old: StoredObject, context: WriteContext) => Draft;
  /** What it keeps in an object whose status is written. */
  readonly updateStatus?: (object: Draft, old: StoredObject, context: WriteContext) => Draft;
  /** What is wrong with a write to its status. */
  readonly validateStatus?: (object: Draft, old: StoredObject, context: WriteContext) => readonly FieldCause[];
  /** Fields that writes reset, by the endpoint (`''` for the main one), where these are not the spec or the status as a whole. */
  readonly resets?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** What is wrong with an object, new or changed. */
  readonly validate?: (object: Draft, context: WriteContext) => readonly FieldCause[];
  /** What is wrong with a change. */
  readonly validateUpdate?: (object: Draft, old: StoredObject, context: WriteContext) => readonly FieldCause[];
  /** Subresources that are written like the object, by their names; those that are not named change the status. */
  readonly subresources?: Readonly<Record<string, SubresourceRules>>;
  /** Deprecated and doubtful things that the server warns about. */
  readonly warn?: (object: Draft) => readonly string[];
}
