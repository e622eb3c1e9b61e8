import { sameJson } from '@ordinal/client';
import { isObject } from '../object.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { duplicate, required, tooMany, unsupported, wrong } from './causes.ts';
import type { Draft } from './model.ts';
import { label, subdomain } from './names.ts';
import type { KindRules } from './rules.ts';
import { items, part, specOf } from './spec.ts';

const before = (old: StoredObject): JsonObject => specOf(old as unknown as JsonObject);
const most = { requests: 32, firstAvailable: 8, selectors: 32, devices: 128 } as const;

/** What is wrong with each entry of a list, how many there are, and which names occur twice. */
function listCauses(
  list: readonly JsonObject[],
  field: string,
  each: (entry: JsonObject, field: string) => readonly FieldCause[],
): readonly FieldCause[] {
  const names = list.map(({ name }) => String(name ?? ''));
  return [
    ...list.flatMap((entry, index) => each(entry, `${field}[${index}]`)),
    ...names.flatMap((name, index) => (names.indexOf(name) < index ? [duplicate(`${field}[${index}]`, name)] : [])),
  ];
}

const named = (name: unknown, field: string): readonly FieldCause[] =>
  typeof name !== 'string' || name === ''
    ? [required(`${field}.name`)]
    : label(name).map((message) => wrong(`${field}.name`, name, message));

function selectorCauses(request: JsonObject, field: string): readonly FieldCause[] {
  const selectors = items(request['selectors']);
  return [
    ...tooMany(`${field}.selectors`, selectors.length, most.selectors),
    ...selectors.flatMap(({ cel }, index) => (isObject(cel) ? [] : [required(`${field}.selectors[${index}].cel`)])),
  ];
}

function requestedCauses(request: JsonObject, field: string): readonly FieldCause[] {
  const { deviceClassName, allocationMode, count = 0 } = request;
  const className = `${field}.deviceClassName`;
  const counts =
    allocationMode === 'All'
      ? Number(count) === 0
        ? []
        : [wrong(`${field}.count`, count, "must not be specified when allocationMode is 'All'")]
      : allocationMode === 'ExactCount'
        ? Number(count) > 0
          ? []
          : [wrong(`${field}.count`, count, 'must be greater than zero')]
        : [unsupported(`${field}.allocationMode`, allocationMode, ['All', 'ExactCount'])];
  return [
    ...(typeof deviceClassName !== 'string' || deviceClassName === ''
      ? [required(className)]
      : subdomain(deviceClassName).map((message) => wrong(className, deviceClassName, message))),
    ...selectorCauses(request, field),
    ...counts,
  ];
}

const oneOf = 'exactly one of `exactly` or `firstAvailable` is required';

function requestCauses(request: JsonObject, field: string): readonly FieldCause[] {
  const first = items(request['firstAvailable']);
  const { exactly } = request;
  if (first.length === 0 && !isObject(exactly)) return [...named(request['name'], field), required(field, oneOf)];
  if (first.length > 0 && isObject(exactly))
    return [...named(request['name'], field), wrong(field, null, `${oneOf}, but multiple fields are set`)];
  return [
    ...named(request['name'], field),
    ...(isObject(exactly) ? requestedCauses(exactly, `${field}.exactly`) : []),
    ...tooMany(`${field}.firstAvailable`, first.length, most.firstAvailable),
    ...listCauses(first, `${field}.firstAvailable`, (entry, at) => [
      ...named(entry['name'], at),
      ...requestedCauses(entry, at),
    ]),
  ];
}

function claimCauses(spec: JsonObject, field: string): readonly FieldCause[] {
  const requests = items(part(spec, 'devices')['requests']);
  const at = `${field}.devices.requests`;
  return [...tooMany(at, requests.length, most.requests), ...listCauses(requests, at, requestCauses)];
}

const fixedSpec: NonNullable<KindRules['validateUpdate']> = (object, old) =>
  sameJson(specOf(object), before(old)) ? [] : [wrong('spec', specOf(object), 'field is immutable')];

/** Claims and their templates are checked when they are made, and can't be changed later. */
const isNew = (object: Draft): boolean => (object['metadata'] as JsonObject)['resourceVersion'] === undefined;

/** What is particular to claims for devices. Nothing here allocates them. */
export const resourceClaimRules: KindRules = {
  nameRule: subdomain,
  statusResets: ['f:labels', 'f:annotations', 'f:finalizers', 'f:ownerReferences'].map((field) => [
    'f:metadata',
    field,
  ]),
  validate: (object) => (isNew(object) ? claimCauses(specOf(object), 'spec') : []),
  validateUpdate: fixedSpec,
};

/** What is particular to templates of claims. */
export const resourceClaimTemplateRules: KindRules = {
  nameRule: subdomain,
  validate: (object) => (isNew(object) ? claimCauses(specOf(specOf(object)), 'spec.spec') : []),
  validateUpdate: fixedSpec,
};

/** What is particular to classes of devices. Their expressions are not compiled. */
export const deviceClassRules: KindRules = {
  generation: true,
  nameRule: subdomain,
  validate: (object) => selectorCauses(specOf(object), 'spec'),
};

const places = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;
const onePlace = `exactly one of ${places.map((name) => `\`${name}\``).join(', ')} is required`;

function sliceCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  const pool = part(spec, 'pool');
  const given = places.filter((name) => spec[name] !== undefined && spec[name] !== false && spec[name] !== '');
  const devices = items(spec['devices']);
  return [
    ...driverCauses(spec['driver']),
    ...(pool['name'] === '' || pool['name'] === undefined ? [required('spec.pool.name')] : []),
    ...(Number(pool['resourceSliceCount'] ?? 0) > 0
      ? []
      : [wrong('spec.pool.resourceSliceCount', pool['resourceSliceCount'] ?? 0, 'must be greater than zero')]),
    ...(given.length === 0 ? [required('spec', onePlace)] : []),
    ...(given.length > 1
      ? [
          wrong(
            'spec',
            `{${given.map((name) => `\`${name}\``).join(', ')}}`,
            `${onePlace}, but multiple fields are set`,
          ),
        ]
      : []),
    ...tooMany('spec.devices', devices.length, most.devices),
    ...listCauses(devices, 'spec.devices', (device, field) => named(device['name'], field)),
  ];
}

function driverCauses(driver: unknown): readonly FieldCause[] {
  if (typeof driver !== 'string' || driver === '') return [required('spec.driver')];
  return subdomain(driver.toLowerCase()).map((message) => wrong('spec.driver', driver, message));
}

function sliceChangeCauses(object: Draft, old: StoredObject): readonly FieldCause[] {
  const spec = specOf(object);
  const was = before(old);
  const pairs = [
    ['pool.name', part(spec, 'pool')['name'], part(was, 'pool')['name']],
    ['driver', spec['driver'], was['driver']],
    ['nodeName', spec['nodeName'], was['nodeName']],
  ] as const;
  return pairs.flatMap(([field, now, then]) =>
    sameJson(now ?? null, then ?? null) ? [] : [wrong(`spec.${field}`, now ?? null, 'field is immutable')],
  );
}

/** What is particular to slices of a pool of devices. */
export const resourceSliceRules: KindRules = {
  generation: true,
  nameRule: subdomain,
  validate: sliceCauses,
  validateUpdate: sliceChangeCauses,
};
