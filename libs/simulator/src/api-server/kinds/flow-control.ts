import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { required, unsupported, wrong } from './causes.ts';
import { metadataOf } from './metadata-rules.ts';
import type { Draft } from './model.ts';
import { subdomain } from './names.ts';
import type { KindRules } from './rules.ts';
import { part, specOf } from './spec.ts';

const highestPrecedence = 10_000;

function schemaCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  const { matchingPrecedence: precedence = 0, distinguisherMethod: method } = spec;
  const { name } = metadataOf(object);
  const level = part(spec, 'priorityLevelConfiguration')['name'];
  const field = 'spec.matchingPrecedence';
  return [
    ...(Number(precedence) <= 0 ? [wrong(field, precedence, 'must be a positive value')] : []),
    ...(Number(precedence) > highestPrecedence
      ? [wrong(field, precedence, `must not be greater than ${highestPrecedence}`)]
      : []),
    ...(precedence === 1 && name !== 'exempt'
      ? [wrong(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")]
      : []),
    ...(method !== undefined && !['ByNamespace', 'ByUser'].includes(String(part(spec, 'distinguisherMethod')['type']))
      ? [unsupported('spec.distinguisherMethod', method, ['ByNamespace', 'ByUser'])]
      : []),
    ...(level === undefined || level === ''
      ? [required('spec.priorityLevelConfiguration.name', 'must reference a priority level')]
      : subdomain(String(level)).map((message) => wrong('spec.priorityLevelConfiguration.name', level, message))),
  ];
}

/** What is particular to FlowSchemas. Requests are not queued here, whatever they say. */
export const flowSchemaRules: KindRules = { generation: true, nameRule: subdomain, validate: schemaCauses };

function levelCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  const isExempt = metadataOf(object)['name'] === 'exempt';
  const misnamed = "must be 'Exempt' if and only if `name` is 'exempt'";
  if (isExempt !== (spec['type'] === 'Exempt')) return [wrong('spec.type', spec['type'], misnamed)];
  switch (spec['type']) {
    case 'Exempt':
      return spec['limited'] === undefined
        ? []
        : [
            {
              reason: 'FieldValueForbidden',
              message: 'Forbidden: must be nil if the type is not Limited',
              field: 'spec.limited',
            },
          ];
    case 'Limited':
      return spec['limited'] === undefined
        ? [required('spec.limited', 'must not be empty when type is Limited')]
        : limitedCauses(part(spec, 'limited'));
    default:
      return [unsupported('spec.type', spec['type'], ['Exempt', 'Limited'])];
  }
}

function limitedCauses(limited: JsonObject): readonly FieldCause[] {
  const field = 'spec.limited.limitResponse.type';
  const { type } = part(limited, 'limitResponse');
  return type === 'Queue' || type === 'Reject' ? [] : [unsupported(field, type ?? '', ['Queue', 'Reject'])];
}

/** What is particular to levels of priority. */
export const priorityLevelRules: KindRules = { generation: true, nameRule: subdomain, validate: levelCauses };
