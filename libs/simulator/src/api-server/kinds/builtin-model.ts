import { sameJson } from '@ordinal/client';
import type { Fields } from '../apply/fields.ts';
import { FieldsBuilder, noFields } from '../apply/fields.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { ServerResource } from '../resources/resource.ts';
import { groupVersion } from '../resources/resource.ts';
import { DecodeError, Reader } from '../schema/decode.ts';
import type { Decoded } from '../schema/decode.ts';
import type { TypeNode } from '../schema/type-node.ts';
import { badRequest } from '../status.ts';
import { builtinRules } from './builtin-rules.ts';
import { controlPlaneDefaults } from './defaults/control-plane.ts';
import { coreDefaults } from './defaults/core.ts';
import { podDefaults } from './defaults/pod.ts';
import { workloadDefaults } from './defaults/workloads.ts';
import {
  changedMetadataCauses,
  changedMetadataTwice,
  metadataOf,
  newMetadataCauses,
  standardFinalizerCauses,
} from './metadata-rules.ts';
import type { Draft, KindModel, WriteContext } from './model.ts';
import { subdomain } from './names.ts';
import type { KindRules } from './rules.ts';
import { part, without } from './spec.ts';

const defaults = { ...podDefaults, ...workloadDefaults, ...coreDefaults, ...controlPlaneDefaults };

/** The status is written through its own endpoint where there is one. */
const hasStatus = (resource: ServerResource): boolean => resource.subresources.has('status');

/** What stands beside metadata and status: what is desired. */
function desired(object: JsonObject | StoredObject): JsonObject {
  return without(object as JsonObject, 'metadata', 'status', 'apiVersion', 'kind');
}

/** The model of a built-in kind. */
export function builtinModel(resource: ServerResource, type: TypeNode): KindModel {
  const rules = builtinRules(resource.storage);
  const changedMetadata = rules.reportsMetadataOnce === true ? changedMetadataCauses : changedMetadataTwice;
  const head = { apiVersion: groupVersion(resource), kind: resource.kind };
  const reader = new Reader((definition, value) => defaults[definition]?.(value) ?? value);
  return {
    type,
    empty: new Reader((_, value) => value).decode(type, head).object,
    decode: (object) => decodeBuiltin(resource, () => reader.decode(type, object)),
    ignored: ignoredFields(resource, rules),
    prepareForCreate: (object, context) => prepareForCreate(rules, object, context),
    pruned: (object) => object,
    stored: (object) => withoutEmpty(object, rules.nullWhenEmpty ?? []),
    defaultedWhenRead: (object) => rules.defaultedWhenRead?.(object) === true,
    prepareForUpdate: (object, old, context) => prepareForUpdate(rules, { object, old }, context),
    validateCreate: (object, context) => [
      ...newMetadataCauses(object, rules.nameRule ?? subdomain),
      ...standardFinalizerCauses(object),
      ...(rules.validate?.(object, context) ?? []),
    ],
    validateUpdate: (object, old, context) =>
      context.subresource === undefined
        ? [
            ...changedMetadata(object, old),
            ...(rules.validate?.(object, context) ?? []),
            ...(rules.validateUpdate?.(object, old, context) ?? []),
          ]
        : [
            ...changedMetadata(object, old),
            ...(rules.subresources?.[context.subresource]?.validate(object, old) ?? []),
            ...(rules.validateStatus?.(object, old, context) ?? []),
          ],
    warnings: (object) => rules.warn?.(object) ?? [],
    requiresVersion: rules.requiresVersion === true,
    createsOnUpdate: rules.createsOnUpdate === true,
  };
}

function withoutEmpty(object: JsonObject, lists: readonly string[]): JsonObject {
  const empty = lists.filter((field) => Array.isArray(object[field]) && object[field].length === 0);
  return empty.length === 0 ? object : { ...object, ...Object.fromEntries(empty.map((field) => [field, null])) };
}

function decodeBuiltin(resource: ServerResource, read: () => Decoded): Decoded {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(
      `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: ${error.message}`,
    );
  }
}

function ignoredFields(resource: ServerResource, rules: KindRules): KindModel['ignored'] {
  if (rules.resets !== undefined) {
    const resets = Object.entries(rules.resets).map(([name, paths]) => [name, fieldsOf(paths)] as const);
    const known = new Map(resets);
    return (subresource) => known.get(subresource) ?? noFields;
  }
  if (!hasStatus(resource)) return () => noFields;
  const status: Fields = { 'f:status': {} };
  const spec = fieldsOf([['f:spec'], ...(rules.statusResets ?? [])]);
  return (subresource) => (subresource === '' ? status : subresource === 'status' ? spec : noFields);
}

function fieldsOf(paths: readonly (readonly string[])[]): Fields {
  const builder = new FieldsBuilder();
  for (const path of paths) builder.add(path);
  return builder.build();
}

function prepareForCreate(rules: KindRules, object: Draft, context: WriteContext): Draft {
  const generation = rules.generation === true ? { generation: 1 } : {};
  const metadata = without(metadataOf(object), 'generation');
  const own = {
    ...(hasStatus(context.resource) ? without(object, 'status') : object),
    metadata: { ...metadata, ...generation },
  };
  return rules.create?.(own, context) ?? own;
}

function prepareForUpdate(
  rules: KindRules,
  { object, old }: { object: Draft; old: StoredObject },
  context: WriteContext,
): Draft {
  if (context.subresource === 'finalize') return finalizeUpdate(object, old);
  const own = context.subresource === undefined ? undefined : rules.subresources?.[context.subresource];
  if (own !== undefined) return own.update(object, old);
  if (context.subresource !== undefined) return statusUpdate(rules, { object, old }, context);
  const kept = hasStatus(context.resource) ? withStatus(object, old['status']) : object;
  const next = rules.update?.(kept, old, context) ?? kept;
  const annotated =
    rules.generationOfAnnotations === true &&
    !sameJson(metadataOf(next)['annotations'] ?? {}, old.metadata.annotations ?? {});
  if (rules.generation !== true || (sameJson(desired(next), desired(old)) && !annotated)) return next;
  return { ...next, metadata: { ...metadataOf(next), generation: (old.metadata.generation ?? 0) + 1 } };
}

const withStatus = (object: Draft, status: unknown): Draft =>
  status === undefined ? without(object, 'status') : { ...object, status };

/** A write through `finalize` changes the finalizers of a namespace's content and its status. */
function finalizeUpdate(object: Draft, old: StoredObject): Draft {
  const { finalizers } = part(object, 'spec');
  const spec = without(part(old as unknown as JsonObject, 'spec'), 'finalizers');
  return {
    ...object,
    ...(old['status'] !== undefined && { status: old['status'] }),
    spec: { ...spec, ...(finalizers !== undefined && { finalizers }) },
  };
}

/** A write to the status keeps what is desired, and the metadata that the kind resets. */
function statusUpdate(
  rules: KindRules,
  { object, old }: { readonly object: Draft; readonly old: StoredObject },
  context: WriteContext,
): Draft {
  let metadata = metadataOf(object);
  for (const [parent, field] of rules.statusResets ?? []) {
    if (parent !== 'f:metadata' || field === undefined) continue;
    const name = field.slice(2);
    const before = (old.metadata as unknown as JsonObject)[name];
    metadata = before === undefined ? without(metadata, name) : { ...metadata, [name]: before };
  }
  const next = {
    apiVersion: object['apiVersion'],
    kind: object['kind'],
    metadata,
    ...desired(old),
    ...(object['status'] !== undefined && { status: object['status'] }),
  };
  return rules.updateStatus?.(next, old, context) ?? next;
}
