import { sameJson } from '@ordinal/client';
import type { CompiledSchema, FieldError, JsonSchemaProps, RatchetedListener } from '@ordinal/schema';
import { compileSchema, copyJson, fieldErrorBody, fieldErrorMessage } from '@ordinal/schema';
import type { CelEngine } from '@ordinal/schema';
import { noFields } from '../apply/fields.ts';
import type { Fields } from '../apply/fields.ts';
import { freeze } from '../object.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { ServerResource } from '../resources/resource.ts';
import { groupVersion } from '../resources/resource.ts';
import { DecodeError, Reader } from '../schema/decode.ts';
import type { Decoded } from '../schema/decode.ts';
import type { OpenApiSchema, TypeReader } from '../schema/open-api.ts';
import type { TypeNode } from '../schema/type-node.ts';
import { badRequest } from '../status.ts';
import type { FieldCause } from '../status.ts';
import { changedMetadataTwice, metadataOf, newMetadataCauses } from './metadata-rules.ts';
import type { Draft, KindModel } from './model.ts';
import { subdomain } from './names.ts';
import { scaleSpecCauses, scaleStatusCauses } from './scale-rules.ts';
import { without } from './spec.ts';

/** What a custom kind's model is made of. */
export interface CustomModelParts {
  readonly resource: ServerResource;
  readonly schema: JsonSchemaProps;
  readonly types: TypeReader;
  readonly cel: CelEngine | undefined;
}

const statusFields: Fields = { 'f:status': {} };
const specFields: Fields = { 'f:metadata': {}, 'f:spec': {} };

/** The model of one version of a CustomResourceDefinition. */
export function customModel({ resource, schema, types, cel }: CustomModelParts): KindModel {
  const hasStatus = resource.subresources.has('status');
  const { scale } = resource;
  const meta = types.definition('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  const own = compileSchema(schema, cel ? { cel } : {});
  const type = customType(types, schema, meta);
  const empty = { apiVersion: groupVersion(resource), kind: resource.kind };
  const scaleCauses = (object: JsonObject): readonly FieldCause[] =>
    scale ? [...scaleSpecCauses(scale, object), ...scaleStatusCauses(scale, object)] : [];
  const reader = new CustomReader(own, meta, resource);
  return {
    type,
    empty,
    decode: (object) => reader.read(object),
    ignored: (subresource) =>
      !hasStatus ? noFields : subresource === '' ? statusFields : subresource === 'status' ? specFields : noFields,
    prepareForCreate: (object) => ({
      ...(hasStatus ? without(object, 'status') : object),
      metadata: { ...metadataOf(object), generation: 1 },
    }),
    prepareForUpdate: (object, old, { subresource }) =>
      subresource === 'status' ? statusUpdate(object, old) : mainUpdate(object, old, hasStatus),
    validateCreate: (object) => [
      ...newMetadataCauses(object, subdomain),
      ...withScale(causes(own.validate(asJson(object))), scaleCauses(object)),
    ],
    validateUpdate: (object, old, { subresource, warn }) => [
      ...changedMetadataTwice(object, old),
      ...(subresource === 'status'
        ? withScale(
            causes(own.validateStatus(asJson(object), asJson(old), ratchetedTo(warn))),
            scale ? scaleStatusCauses(scale, object) : [],
          )
        : withScale(causes(own.validate(asJson(object), asJson(old), ratchetedTo(warn))), scaleCauses(object))),
    ],
    warnings: unqualifiedFinalizers,
    stored: (object) => object,
    pruned: (object) => {
      const copy = copyJson(asJson(without(object, 'metadata')));
      own.prune(copy);
      return { ...copy, metadata: object['metadata'] };
    },
    defaultedWhenRead: () => false,
    requiresVersion: true,
    createsOnUpdate: false,
  };
}

type SchemaJson = Parameters<CompiledSchema['validate']>[0];
// Objects of the store are JSON; the validator only reads them.
const asJson = (object: unknown): SchemaJson => object as SchemaJson;

const causes = (errors: readonly FieldError[]): readonly FieldCause[] =>
  errors.map((error) => ({ reason: error.type, message: fieldErrorBody(error), field: error.field }));

/** What was wrong before is warned of. */
const ratchetedTo =
  (warn: (texts: readonly string[]) => void): RatchetedListener =>
  (error) =>
    warn([fieldErrorMessage(error)]);

function customType(types: TypeReader, schema: JsonSchemaProps, meta: TypeNode): TypeNode {
  const root = types.schema(schema as unknown as OpenApiSchema);
  const fields = new Map(root.map?.fields);
  fields.set('apiVersion', { scalar: 'string' }).set('kind', { scalar: 'string' }).set('metadata', meta);
  const map = root.map ?? { defaults: new Map<string, unknown>(), atomic: false, retainKeys: new Set<string>() };
  return { map: { ...map, fields } };
}

/** Reads objects of a custom kind. As the `Reader` of built-in ones it knows, by their identity, the parts that it has read before. */
class CustomReader {
  readonly #schema: CompiledSchema;
  readonly #meta: TypeNode;
  readonly #resource: ServerResource;
  readonly #metadata = new Reader((_, value) => value);
  /** Frozen parts that came out of a reading, and the field that they stood in. */
  readonly #known = new WeakMap<object, string>();

  constructor(schema: CompiledSchema, meta: TypeNode, resource: ServerResource) {
    this.#schema = schema;
    this.#meta = meta;
    this.#resource = resource;
  }

  read(object: JsonObject): Decoded {
    const { fields, unknown } = this.#fields(object);
    const metadata = this.#readMetadata(metadataOf(object));
    return {
      object: { ...fields, metadata: metadata.object },
      unknown: [...unknown, ...metadata.unknown.map((path) => `metadata.${path}`)],
    };
  }

  /** All but the metadata, pruned and with defaults. */
  #fields(object: JsonObject): { readonly fields: JsonObject; readonly unknown: readonly string[] } {
    const known = Object.keys(object).filter((field) => this.#isKnown(field, object[field]));
    const copy = copyJson(asJson(without(object, 'metadata', ...known)));
    const { unknownFields, decodeError } = this.#schema.admit(copy);
    if (decodeError !== undefined) throw badRequest(`${decodeError.field}: ${fieldErrorBody(decodeError)}`);
    const fields: JsonObject = {};
    for (const field in object) {
      if (known.includes(field)) fields[field] = object[field];
      else if (field === 'metadata' || copy[field] !== undefined) fields[field] = this.#keep(field, copy[field]);
    }
    for (const field in copy) fields[field] ??= this.#keep(field, copy[field]);
    return { fields, unknown: unknownFields };
  }

  #isKnown(field: string, value: unknown): boolean {
    return typeof value === 'object' && value !== null && this.#known.get(value) === field;
  }

  #keep(field: string, value: unknown): unknown {
    if (typeof value === 'object' && value !== null) this.#known.set(freeze(value), field);
    return value;
  }

  #readMetadata(metadata: JsonObject): Decoded {
    try {
      return this.#metadata.decode(this.#meta, metadata);
    } catch (error) {
      const { kind, version } = this.#resource;
      if (error instanceof DecodeError)
        throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${error.message}`);
      throw error;
    }
  }
}

const bare = (object: JsonObject | StoredObject, hasStatus: boolean): JsonObject => {
  return without(object as JsonObject, 'metadata', ...(hasStatus ? ['status'] : []));
};

function mainUpdate(object: Draft, old: StoredObject, hasStatus: boolean): Draft {
  const kept = hasStatus
    ? { ...without(object, 'status'), ...(old['status'] !== undefined && { status: old['status'] }) }
    : object;
  const changed = !sameJson(bare(kept, hasStatus), bare(old, hasStatus));
  return changed
    ? { ...kept, metadata: { ...metadataOf(kept), generation: (old.metadata.generation ?? 0) + 1 } }
    : kept;
}

/** A write to the status changes nothing but the status and who manages it. */
function statusUpdate(object: Draft, old: StoredObject): Draft {
  const rest = without(old as unknown as JsonObject, 'status');
  const { managedFields } = metadataOf(object);
  return {
    ...rest,
    metadata: { ...old.metadata, ...(managedFields !== undefined && { managedFields }) },
    ...(object['status'] !== undefined && { status: object['status'] }),
  };
}

/** What the scale subresource asks, put before the remark that rules were not checked. */
function withScale(found: readonly FieldCause[], asked: readonly FieldCause[]): readonly FieldCause[] {
  const remark = found.findIndex(
    ({ field, message }) => field === '<nil>' && message.includes('rules were not checked'),
  );
  return remark < 0 ? [...found, ...asked] : [...found.slice(0, remark), ...asked, ...found.slice(remark)];
}

/** Custom kinds take any finalizer, with a warning where others might use the same name. */
function unqualifiedFinalizers(object: JsonObject): readonly string[] {
  const { finalizers } = metadataOf(object);
  return (Array.isArray(finalizers) ? finalizers.map(String) : [])
    .filter((name) => !name.includes('/') && !['kubernetes', 'orphan', 'foregroundDeletion'].includes(name))
    .map(
      (name) =>
        `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}
