import type { OwnerReference } from '@ordinal/client';
import { isObject } from '../object.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { refused, required, wrong } from './causes.ts';
import { labelValue, qualifiedName } from './names.ts';
import type { NameRule } from './names.ts';

/** Annotations of one object together are no larger than this, in bytes. */
const annotationsLimit = 256 * 1024;

/** The metadata of any object that is being written. */
export const metadataOf = (object: JsonObject): JsonObject => (isObject(object['metadata']) ? object['metadata'] : {});

const entries = (value: unknown): readonly (readonly [string, unknown])[] =>
  isObject(value) ? Object.entries(value) : [];
const list = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? (value as readonly T[]) : []);

/** What is wrong with labels, at a path such as `metadata.labels`. */
export function labelCauses(labels: unknown, field: string): readonly FieldCause[] {
  return entries(labels).flatMap(([key, value]) => [
    ...qualifiedName(key).map((message) => wrong(field, key, message)),
    ...labelValue(String(value)).map((message) => wrong(field, value, message)),
  ]);
}

function annotationCauses(annotations: unknown): readonly FieldCause[] {
  const field = 'metadata.annotations';
  const all = entries(annotations);
  const size = all.reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
  return [
    ...all.flatMap(([key]) => qualifiedName(key.toLowerCase()).map((message) => wrong(field, key, message))),
    ...(size > annotationsLimit
      ? [{ reason: 'FieldValueTooLong', message: `Too long: may not be more than ${annotationsLimit} bytes`, field }]
      : []),
  ];
}

/** Whether a text is `version` or `group/version`. */
function hasVersion(apiVersion: string): boolean {
  const parts = apiVersion.split('/');
  return parts.length <= 2 && parts.at(-1) !== '';
}

function ownerCauses(references: unknown): readonly FieldCause[] {
  const field = 'metadata.ownerReferences';
  const owners = list<Partial<OwnerReference>>(references);
  const missing = owners.flatMap((owner) => [
    ...(hasVersion(owner.apiVersion ?? '')
      ? []
      : [wrong(`${field}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty')]),
    ...(owner.kind ? [] : [wrong(`${field}.kind`, '', 'must not be empty')]),
    ...(owner.name ? [] : [wrong(`${field}.name`, '', 'must not be empty')]),
    ...(owner.uid ? [] : [wrong(`${field}.uid`, '', 'must not be empty')]),
  ]);
  const controllers = owners.filter((owner) => owner.controller === true);
  const [first, second] = controllers;
  if (!first || !second) return missing;
  return [
    ...missing,
    wrong(
      field,
      owners,
      `Only one reference can have Controller set to true. Found "true" in references for ${first.kind ?? ''}/${first.name ?? ''} and ${second.kind ?? ''}/${second.name ?? ''}`,
    ),
  ];
}

function finalizerCauses(finalizers: unknown): readonly FieldCause[] {
  const field = 'metadata.finalizers';
  const names = list<string>(finalizers);
  return [
    ...names.flatMap((name) => qualifiedName(name).map((message) => wrong(field, name, message))),
    ...(names.includes('orphan') && names.includes('foregroundDeletion')
      ? [wrong(field, names, 'finalizer orphan and foregroundDeletion cannot be both set')]
      : []),
  ];
}

/** Names that need no domain before them. */
const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Built-in kinds take finalizers with a domain, or well-known ones. */
export function standardFinalizerCauses(object: JsonObject): readonly FieldCause[] {
  return list<string>(metadataOf(object)['finalizers']).flatMap((name, index) =>
    name.includes('/') || standardFinalizers.has(name)
      ? []
      : [
          wrong(
            `metadata.finalizers[${index}]`,
            name,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ],
  );
}

/** What is wrong with the metadata of a new object. */
export function newMetadataCauses(object: JsonObject, nameRule: NameRule): readonly FieldCause[] {
  const metadata = metadataOf(object);
  const { name, generateName, labels, annotations, ownerReferences, finalizers } = metadata;
  const nameCauses =
    typeof name === 'string' && name !== ''
      ? nameRule(name).map((message) => wrong('metadata.name', name, message))
      : [required('metadata.name', 'name or generateName is required')];
  const prefix = typeof generateName === 'string' ? generateName.replace(/-$/, 'a') : '';
  return [
    ...(prefix === '' ? [] : nameRule(prefix).map((message) => wrong('metadata.generateName', generateName, message))),
    ...nameCauses,
    ...labelCauses(labels, 'metadata.labels'),
    ...annotationCauses(annotations),
    ...ownerCauses(ownerReferences),
    ...finalizerCauses(finalizers),
  ];
}

/** What is wrong with the metadata of a changed object. */
export function changedMetadataCauses(object: JsonObject, old: StoredObject): readonly FieldCause[] {
  const { finalizers, uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, ...metadata } =
    metadataOf(object);
  const had = new Set(old.metadata.finalizers);
  const added = list<string>(finalizers).filter((finalizer) => !had.has(finalizer));
  const immutable = { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds };
  return [
    ...(old.metadata.deletionTimestamp !== undefined && added.length > 0
      ? [
          refused(
            'metadata.finalizers',
            `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`,
          ),
        ]
      : []),
    ...Object.entries(immutable).flatMap(([field, value]) =>
      value === old.metadata[field as keyof typeof immutable]
        ? []
        : [wrong(`metadata.${field}`, value ?? null, 'field is immutable')],
    ),
    // What was taken over as it is was looked at when it was written.
    ...(metadata['labels'] === old.metadata.labels ? [] : labelCauses(metadata['labels'], 'metadata.labels')),
    ...(metadata['annotations'] === old.metadata.annotations ? [] : annotationCauses(metadata['annotations'])),
    ...(metadata['ownerReferences'] === old.metadata.ownerReferences ? [] : ownerCauses(metadata['ownerReferences'])),
  ];
}

/** The registry and the kind's own rules both look at changed metadata, and the server reports what both say. */
export function changedMetadataTwice(object: JsonObject, old: StoredObject): readonly FieldCause[] {
  const causes = changedMetadataCauses(object, old);
  return [...causes, ...causes];
}
