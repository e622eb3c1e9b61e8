import { number } from '../quota/amounts.ts';
import type { JsonObject } from '../request.ts';
import { formatQuantity, parseQuantity } from '../schema/quantity.ts';
import type { Quantity } from '../schema/quantity.ts';
import type { FieldCause } from '../status.ts';
import { duplicate, refused, required, wrong } from './causes.ts';
import type { Draft } from './model.ts';
import { qualifiedName, subdomain } from './names.ts';
import { nameCausesFor, resourceNameCauses } from './resource-names.ts';
import type { KindRules } from './rules.ts';
import { items, part, specOf } from './spec.ts';

function typeCauses(type: string, field: string): readonly FieldCause[] {
  const problems = qualifiedName(type);
  if (problems.length > 0) return problems.map((message) => wrong(field, type, message));
  return type.includes('/') || ['Pod', 'Container', 'PersistentVolumeClaim'].includes(type)
    ? []
    : [wrong(field, type, 'must be a standard limit type or fully qualified')];
}

const names = (limit: JsonObject, list: string): readonly string[] => Object.keys(part(limit, list)).sort();

function nameCauses(limit: JsonObject, list: string, at: string): readonly FieldCause[] {
  const isOfContainers = limit['type'] === 'Pod' || limit['type'] === 'Container';
  return names(limit, list).flatMap((name) => {
    const field = `${at}.${list}[${name}]`;
    return isOfContainers ? nameCausesFor('containers', name, field) : resourceNameCauses(name, field);
  });
}

/** Containers have defaults; pods have none. */
function defaultCauses(limit: JsonObject, at: string): readonly FieldCause[] {
  const lists = ['default', 'defaultRequest'];
  if (limit['type'] !== 'Pod') return lists.flatMap((list) => nameCauses(limit, list, at));
  return lists
    .filter((list) => names(limit, list).length > 0)
    .map((list) => refused(`${at}.${list}`, "may not be specified when `type` is 'Pod'"));
}

const isMore = (one: Quantity | undefined, other: Quantity | undefined): boolean =>
  one !== undefined && other !== undefined && one.nano > other.nano;

/** Pairs of which the first may not be more than the other: what is reported, and how both are called. */
const orders = [
  ['min', 'max', 'min', 'min value', 'is greater than max value'],
  ['min', 'defaultRequest', 'defaultRequest', 'min value', 'is greater than default request value'],
  ['defaultRequest', 'max', 'defaultRequest', 'default request value', 'is greater than max value'],
  ['defaultRequest', 'default', 'defaultRequest', 'default request value', 'is greater than default limit value'],
  ['min', 'default', 'default', 'min value', 'is greater than default value'],
  ['default', 'max', 'default', 'default value', 'is greater than max value'],
] as const;

function orderCauses(limit: JsonObject, name: string, at: string): readonly FieldCause[] {
  const amount = (list: string): Quantity | undefined => parseQuantity(String(part(limit, list)[name]));
  const text = (quantity: Quantity | undefined): string => (quantity === undefined ? '' : formatQuantity(quantity));
  const ordered = orders.flatMap(([less, more, field, what, than]) => {
    const [low, high] = [amount(less), amount(more)];
    // The server quotes the least, or the most, where a default is beyond it.
    const quoted = field === 'default' ? (less === 'min' ? low : high) : amount(field);
    return isMore(low, high)
      ? [wrong(`${at}.${field}[${name}]`, text(quoted), `${what} ${text(low)} ${than} ${text(high)}`)]
      : [];
  });
  return [
    ...ordered,
    ...ratioCauses(name, { ratio: amount('maxLimitRequestRatio'), min: amount('min'), max: amount('max') }, at),
  ];
}

interface Bounds {
  readonly ratio: Quantity | undefined;
  readonly min: Quantity | undefined;
  readonly max: Quantity | undefined;
}

function ratioCauses(name: string, { ratio, min, max }: Bounds, at: string): readonly FieldCause[] {
  if (ratio === undefined) return [];
  const field = `${at}.maxLimitRequestRatio[${name}]`;
  const text = formatQuantity(ratio);
  const most = min === undefined || max === undefined ? Infinity : Number(max.nano) / Number(min.nano);
  return [
    ...(isMore(number(1), ratio) ? [wrong(field, text, `ratio ${text} is less than 1`)] : []),
    ...(Number(ratio.nano) / 1e9 > most
      ? [wrong(field, text, `ratio ${text} is greater than max/min = ${most.toFixed(6)}`)]
      : []),
  ];
}

const lists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

function limitCauses(limit: JsonObject, at: string, isRepeated: boolean): readonly FieldCause[] {
  const type = String(limit['type'] ?? '');
  const all = new Set(lists.flatMap((list) => names(limit, list)));
  const isUnbounded = ['min', 'max'].every((list) => part(limit, list)['storage'] === undefined);
  return [
    ...typeCauses(type, `${at}.type`),
    ...(isRepeated ? [duplicate(`${at}.type`, type)] : []),
    ...nameCauses(limit, 'max', at),
    ...nameCauses(limit, 'min', at),
    ...defaultCauses(limit, at),
    ...(type === 'PersistentVolumeClaim' && isUnbounded
      ? [required(`${at}.limits`, 'either minimum or maximum storage value is required, but neither was provided')]
      : []),
    ...nameCauses(limit, 'maxLimitRequestRatio', at),
    ...[...all].sort().flatMap((name) => orderCauses(limit, name, at)),
  ];
}

function limitRangeCauses(object: Draft): readonly FieldCause[] {
  const limits = items(specOf(object)['limits']);
  const types = limits.map(({ type }) => type);
  return limits.flatMap((limit, index) =>
    limitCauses(limit, `spec.limits[${index}]`, types.indexOf(limit['type']) < index),
  );
}

/** What is particular to limit ranges. */
export const limitRangeRules: KindRules = {
  nameRule: subdomain,
  createsOnUpdate: true,
  validate: limitRangeCauses,
};
