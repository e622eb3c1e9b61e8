import { sameJson, timestamp } from '@ordinal/client';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { duplicate, refused, required, unsupported, wrong } from './causes.ts';
import type { Draft, WriteContext } from './model.ts';
import type { KindRules } from './rules.ts';
import { items, part, specOf, without } from './spec.ts';

const usages = [
  ...['any', 'cert sign', 'client auth', 'code signing', 'content commitment', 'crl sign', 'data encipherment'],
  ...['decipher only', 'digital signature', 'email protection', 'encipher only', 'ipsec end system', 'ipsec tunnel'],
  ...['ipsec user', 'key agreement', 'key encipherment', 'microsoft sgc', 'netscape sgc', 'ocsp signing'],
  ...['s/mime', 'server auth', 'signing', 'timestamping'],
];
const pem = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----[\s\S]+-----END (?:NEW )?CERTIFICATE REQUEST-----/;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Who asks is written by the server. */
function newRequest(object: Draft, { user }: WriteContext): Draft {
  const spec = without(specOf(object), 'username', 'uid', 'groups', 'extra');
  const { name, groups, uid, extra } = user;
  return {
    ...object,
    spec: {
      ...spec,
      username: name,
      ...(uid !== undefined && { uid }),
      ...(groups !== undefined && groups.length > 0 && { groups: [...groups] }),
      ...(extra !== undefined && Object.keys(extra).length > 0 && { extra }),
    },
    status: {},
  };
}

function requestCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  const given = (Array.isArray(spec['usages']) ? spec['usages'] : []) as readonly string[];
  const expiration = spec['expirationSeconds'];
  const request = text(spec['request']);
  return [
    ...(pem.test(Buffer.from(request, 'base64').toString('latin1'))
      ? []
      : [wrong('spec.request', request, 'PEM block type must be CERTIFICATE REQUEST')]),
    ...(given.length === 0 ? [required('spec.usages')] : []),
    ...given.flatMap((usage, index) =>
      usages.includes(usage) ? [] : [unsupported(`spec.usages[${index}]`, usage, usages)],
    ),
    ...given.flatMap((usage, index) =>
      given.indexOf(usage) < index ? [duplicate(`spec.usages[${index}]`, usage)] : [],
    ),
    ...signerCauses(text(spec['signerName'])),
    ...(typeof expiration === 'number' && expiration < 600
      ? [wrong('spec.expirationSeconds', expiration, 'may not specify a duration less than 600 seconds (10 minutes)')]
      : []),
    ...conditionCauses(items(part(object, 'status')['conditions'])),
  ];
}

function signerCauses(name: string): readonly FieldCause[] {
  const field = 'spec.signerName';
  if (name === '') return [required(field)];
  if (!name.includes('/'))
    return [wrong(field, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  return name === 'kubernetes.io/legacy-unknown'
    ? [wrong(field, name, 'the legacy signerName is not allowed via this API version')]
    : [];
}

function conditionCauses(conditions: readonly JsonObject[]): readonly FieldCause[] {
  const types = conditions.map(({ type }) => text(type));
  return conditions.flatMap(({ status }, index) => {
    const type = types[index] ?? '';
    const field = `status.conditions[${index}]`;
    const allowed = ['Approved', 'Denied', 'Failed'].includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    const opposite = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    const isSecond = opposite !== undefined && types.slice(0, index).includes(opposite);
    return [
      ...(type === '' ? [required(`${field}.type`)] : []),
      ...(text(status) === ''
        ? [required(`${field}.status`)]
        : allowed.includes(text(status))
          ? []
          : [unsupported(`${field}.status`, status, allowed)]),
      ...(isSecond ? [wrong('status.conditions', type, 'Approved and Denied conditions are mutually exclusive')] : []),
      ...(types.indexOf(type) < index ? [duplicate(`${field}.type`, type)] : []),
    ];
  });
}

/** A write to `approval` sets the conditions; one to `status` sets the certificate, and keeps what has been approved. */
function statusWritten(object: Draft, old: StoredObject, { subresource, now }: WriteContext): Draft {
  const was = part(old as unknown as JsonObject, 'status');
  const given = part(object, 'status');
  const conditions = dated(items(given['conditions']), items(was['conditions']), timestamp(now));
  const status = { ...(subresource === 'approval' ? was : given), ...(conditions.length > 0 && { conditions }) };
  return { ...object, status: conditions.length > 0 ? status : without(status, 'conditions') };
}

function dated(conditions: readonly JsonObject[], before: readonly JsonObject[], now: string): readonly JsonObject[] {
  return conditions.map((condition) => {
    const same = before.find(({ type, status }) => type === condition['type'] && status === condition['status']);
    return {
      ...condition,
      lastUpdateTime: condition['lastUpdateTime'] ?? now,
      lastTransitionTime: condition['lastTransitionTime'] ?? same?.['lastTransitionTime'] ?? now,
    };
  });
}

function changedCauses(object: Draft, old: StoredObject, { subresource }: WriteContext): readonly FieldCause[] {
  const [now, before] = [object, old as unknown as JsonObject].map((each) => part(each, 'status'));
  const of = (status: JsonObject | undefined, type: string): readonly JsonObject[] =>
    items(status?.['conditions']).filter((condition) => condition['type'] === type);
  const field = 'status.conditions';
  return [
    ...requestCauses(object),
    ...['Approved', 'Denied', 'Failed']
      .filter((type) => of(now, type).length < of(before, type).length)
      .map((type) => refused(field, `updates may not remove a condition of type "${type}"`)),
    ...(subresource === 'approval' ? [] : ['Approved', 'Denied'])
      .filter((type) => of(now, type).length > of(before, type).length)
      .map((type) => refused(field, `updates may not add a condition of type "${type}"`)),
    ...(subresource !== 'status' && !sameJson(now?.['certificate'] ?? '', before?.['certificate'] ?? '')
      ? [refused('status.certificate', 'updates may not set certificate content')]
      : []),
  ];
}

/** What is particular to requests for certificates. Nothing here signs them. */
export const certificateRequestRules: KindRules = {
  nameRule: () => [],
  create: newRequest,
  update: (object, old) => ({ ...object, spec: specOf(old as unknown as JsonObject) }),
  updateStatus: statusWritten,
  validate: requestCauses,
  validateStatus: changedCauses,
  resets: {
    '': [['f:spec'], ['f:status']],
    status: [['f:spec'], ['f:status', 'f:conditions']],
    approval: [['f:spec'], ['f:status', 'f:certificate']],
  },
};
