import { sameJson } from '@ordinal/client';
import { isObject } from '../object.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { invalid } from '../status.ts';
import type { FieldCause } from '../status.ts';
import { duplicate, refused, required, wrong } from './causes.ts';
import type { Draft, WriteContext } from './model.ts';
import { label, label1035, subdomain } from './names.ts';
import { nodePortCauses, withNodePorts } from './node-ports.ts';
import type { KindRules } from './rules.ts';
import { items, part, specOf, without } from './spec.ts';
import { metadataOf } from './metadata-rules.ts';

const json = (object: StoredObject): JsonObject => object as unknown as JsonObject;

const keyPattern = /^[-._a-zA-Z0-9]+$/;

function dataCauses(object: Draft, fields: readonly string[]): readonly FieldCause[] {
  return fields.flatMap((field) =>
    Object.keys(part(object, field))
      .filter((key) => !keyPattern.test(key) || key.length > 253 || key === '.' || key === '..')
      .map((key) =>
        wrong(
          `${field}[${key}]`,
          key,
          key.length > 253
            ? 'must be no more than 253 characters'
            : "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        ),
      ),
  );
}

/** The most that is in all values of a ConfigMap or Secret together. */
const dataLimit = 1024 * 1024;

function sizeCauses([texts, bytes]: readonly unknown[], field: string): readonly FieldCause[] {
  const sum = (map: unknown, size: (text: string) => number): number =>
    isObject(map) ? Object.values(map).reduce<number>((total, value) => total + size(String(value)), 0) : 0;
  const decoded = (text: string): number => Buffer.byteLength(text, 'base64');
  const total =
    bytes === undefined ? sum(texts, Buffer.byteLength) : sum(texts, Buffer.byteLength) + sum(bytes, decoded);
  if (total <= dataLimit) return [];
  return [{ reason: 'FieldValueTooLong', message: `Too long: may not be more than ${dataLimit} bytes`, field }];
}

/** ConfigMaps and Secrets that say they are immutable stay as they are. */
const immutability =
  (fields: readonly string[]): NonNullable<KindRules['validateUpdate']> =>
  (object, old) => {
    if (old['immutable'] !== true) return [];
    return [
      ...(object['immutable'] === true ? [] : [refused('immutable', 'field is immutable when `immutable` is set')]),
      ...fields
        .filter((field) => !sameJson(object[field], old[field]))
        .map((field) => refused(field, 'field is immutable when `immutable` is set')),
    ];
  };

function configMapCauses(object: Draft): readonly FieldCause[] {
  const both = Object.keys(part(object, 'data')).filter((key) => Object.hasOwn(part(object, 'binaryData'), key));
  return [
    ...dataCauses(object, ['data', 'binaryData']),
    ...both.map((key) => wrong(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...sizeCauses([object['data'], object['binaryData']], '[]'),
  ];
}

/** What is particular to ConfigMaps. */
export const configMapRules: KindRules = {
  nameRule: subdomain,
  validate: configMapCauses,
  validateUpdate: immutability(['data', 'binaryData']),
};

/** What is particular to Secrets. */
export const secretRules: KindRules = {
  nameRule: subdomain,
  validate: (object) => [...dataCauses(object, ['data']), ...sizeCauses([object['data']], 'data')],
  validateUpdate: (object, old, context) => [
    ...(object['type'] === old['type'] ? [] : [wrong('type', object['type'], 'field is immutable')]),
    ...immutability(['data'])(object, old, context),
  ],
};

function serviceCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  const ports = items(spec['ports']);
  const headless = spec['clusterIP'] === 'None';
  const names = ports.map((port) => String(port['name'] ?? ''));
  return [
    ...(ports.length === 0 && !headless && spec['type'] !== 'ExternalName' ? [required('spec.ports')] : []),
    ...ports.flatMap((port, index) => [
      ...(ports.length > 1 && names[index] === '' ? [required(`spec.ports[${index}].name`)] : []),
      ...(names[index] !== '' && names.indexOf(names[index] ?? '') < index
        ? [duplicate(`spec.ports[${index}].name`, names[index])]
        : []),
      ...(Number(port['port']) < 1 || Number(port['port']) > 65535
        ? [wrong(`spec.ports[${index}].port`, port['port'], 'must be between 1 and 65535, inclusive')]
        : []),
    ]),
    ...nodePortCauses(spec),
  ];
}

/** Whether a Service has an address of its own, if only `None`. */
const needsAddress = (spec: JsonObject): boolean => spec['type'] !== 'ExternalName';

/** A new Service with its address, and the numbers of its ports on nodes. */
const newService = (object: Draft, context: WriteContext): Draft => ({
  ...withNodePorts(needsAddress(specOf(object)) ? withClusterIp(object, context) : object, undefined, context),
  status: { loadBalancer: {} },
});

/** Gives a Service its address: the given one, `None`, or the next that is free. */
function withClusterIp(object: Draft, { lookup, dryRun }: WriteContext): Draft {
  const spec = specOf(object);
  const given = spec['clusterIP'];
  const free = (): string => (dryRun ? firstAddress : freeAddress(object, lookup));
  const clusterIP = typeof given === 'string' && given !== '' ? given : free();
  const families = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
  const noSelector =
    clusterIP === 'None' && !isObject(spec['selector'])
      ? { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }
      : families;
  return {
    ...object,
    spec: { ...noSelector, ...spec, clusterIP, clusterIPs: spec['clusterIPs'] ?? [clusterIP] },
  };
}

/** What the server's allocator answers when nothing is to be allocated. */
const firstAddress = '10.96.0.0';

/** An address of 10.96.0.0/16 that follows from the uid, so that the same history gives the same addresses. */
function freeAddress(object: Draft, lookup: WriteContext['lookup']): string {
  const { uid } = metadataOf(object);
  let candidate = parseInt(String(uid).slice(0, 4), 16);
  for (;;) {
    candidate = (candidate + 1) % 65536;
    const address = `10.96.${candidate >> 8}.${candidate & 255}`;
    if (candidate > 10 && candidate < 65535 && lookup('services by address', address) === undefined) return address;
  }
}

/** Addresses of both families are for headless services without selector: the cluster itself has one family. */
function familyCauses(spec: JsonObject): readonly FieldCause[] {
  const selectorless = spec['clusterIP'] === 'None' && !isObject(spec['selector']);
  if (spec['ipFamilyPolicy'] !== 'RequireDualStack' || selectorless) return [];
  return [
    wrong('spec.ipFamilyPolicy', 'RequireDualStack', 'this cluster is not configured for dual-stack services'),
    ...(Array.isArray(spec['ipFamilies']) && spec['ipFamilies'].length > 1
      ? [wrong('spec.ipFamilies[1]', 'IPv6', 'not configured on this cluster')]
      : []),
  ];
}

/** Addresses are given out, or refused, before anything else is looked at. */
function changedService(object: Draft, old: StoredObject, context: WriteContext): Draft {
  const { resource } = context;
  const had = needsAddress(specOf(json(old)));
  const needs = needsAddress(specOf(object));
  const ported = withNodePorts(withoutTraffic(object, old), json(old), context);
  if (!needs) return had ? withoutAddresses(ported, old) : ported;
  const changed = had ? withFormerAddresses(ported, old) : withClusterIp(ported, context);
  const causes = familyCauses(specOf(changed));
  if (causes.length > 0) throw invalid(resource, old.metadata.name, causes);
  return changed;
}

const isExternal = ({ type }: JsonObject): boolean => type === 'NodePort' || type === 'LoadBalancer';

/** What only Services that are reached from outside have goes with their type, unless it was changed too. */
function withoutTraffic(object: Draft, old: StoredObject): Draft {
  const spec = specOf(object);
  const before = specOf(json(old));
  const field = 'externalTrafficPolicy';
  const goes = isExternal(before) && !isExternal(spec) && spec[field] === before[field];
  return goes ? { ...object, spec: without(spec, field) } : object;
}

const addressFields = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'];

/** A Service that becomes a name loses its address; what its author has changed as well stays, to be refused. */
function withoutAddresses(object: Draft, old: StoredObject): Draft {
  const spec = specOf(object);
  const before = specOf(json(old));
  const dropped = [...addressFields, 'internalTrafficPolicy'].filter((field) => sameJson(spec[field], before[field]));
  return { ...object, spec: without(spec, ...dropped) };
}

function withFormerAddresses(object: Draft, old: StoredObject): Draft {
  const spec = specOf(object);
  const before = specOf(json(old));
  const kept = Object.fromEntries(
    addressFields
      .filter((field) => spec[field] === undefined && before[field] !== undefined)
      .map((field) => [field, before[field]]),
  );
  const families = kept['ipFamilies'];
  // A selector leaves a service one family, where its author names none.
  if (Array.isArray(families) && isObject(spec['selector'])) kept['ipFamilies'] = families.slice(0, 1);
  return { ...object, spec: { ...spec, ...kept } };
}

function serviceChangeCauses(object: Draft, old: StoredObject): readonly FieldCause[] {
  const address = specOf(object)['clusterIP'];
  const before = specOf(json(old))['clusterIP'];
  return before === undefined || address === before || !needsAddress(specOf(object))
    ? []
    : [wrong('spec.clusterIPs[0]', [address], 'may not change once set')];
}

/** What is particular to Services. */
export const serviceRules: KindRules = {
  createsOnUpdate: true,
  nameRule: label1035,
  create: newService,
  update: changedService,
  validate: serviceCauses,
  validateUpdate: serviceChangeCauses,
};

function newClaim(object: Draft): Draft {
  const finalizers = (metadataOf(object)['finalizers'] ?? []) as readonly string[];
  return {
    ...object,
    metadata: {
      ...metadataOf(object),
      finalizers: finalizers.includes(protection) ? finalizers : [...finalizers, protection],
    },
    status: { phase: 'Pending' },
  };
}

function claimCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  return [
    ...((spec['accessModes'] as readonly string[] | undefined)?.length
      ? []
      : [required('spec.accessModes', 'at least 1 access mode is required')]),
    ...(part(part(spec, 'resources'), 'requests')['storage'] === undefined
      ? [required('spec.resources[storage]')]
      : []),
  ];
}

/** What is particular to claims for volumes. */
export const claimRules: KindRules = {
  nameRule: subdomain,
  create: newClaim,
  // A new claim is stored without its phase.
  defaultedWhenRead: () => true,
  validate: claimCauses,
  validateUpdate: (object, old) => claimUpdateCauses(specOf(object), specOf(json(old)), json(old)),
};

const protection = 'kubernetes.io/pvc-protection';

function claimUpdateCauses(spec: JsonObject, before: JsonObject, old: JsonObject): readonly FieldCause[] {
  const bare = ({ resources: _, volumeName: __, volumeAttributesClassName: ___, ...rest }: JsonObject): JsonObject =>
    rest;
  const named = before['volumeName'] === undefined || spec['volumeName'] === before['volumeName'];
  const bound = part(old, 'status')['phase'] === 'Bound';
  const sized = sameJson(spec['resources'], before['resources']) || bound;
  if (sameJson(bare(spec), bare(before)) && named && sized) return [];
  return [
    refused(
      'spec',
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    ),
  ];
}

/** What is particular to volumes. */
export const volumeRules: KindRules = {
  nameRule: subdomain,
  create: (object) => ({
    ...object,
    metadata: {
      ...metadataOf(object),
      finalizers: [
        ...new Set([...((metadataOf(object)['finalizers'] ?? []) as readonly string[]), 'kubernetes.io/pv-protection']),
      ],
    },
    status: { phase: 'Pending' },
  }),
};

function newNamespace(object: Draft): Draft {
  const { name, labels } = metadataOf(object);
  const finalizers = (specOf(object)['finalizers'] ?? []) as readonly string[];
  return {
    ...object,
    metadata: {
      ...metadataOf(object),
      labels: { ...(isObject(labels) ? labels : {}), 'kubernetes.io/metadata.name': name },
    },
    spec: {
      ...specOf(object),
      finalizers: finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'],
    },
    status: { phase: 'Active' },
  };
}

/** What is particular to namespaces. */
export const namespaceRules: KindRules = {
  nameRule: label,
  create: newNamespace,
  update: (object, old) => ({ ...object, spec: { ...specOf(object), finalizers: specOf(json(old))['finalizers'] } }),
};
