import type { JsonObject } from '../request.ts';
import { isLargerQuantity } from '../schema/quantity.ts';
import type { FieldCause } from '../status.ts';
import { refused, required, wrong } from './causes.ts';
import { amountCauses, isHugePages, isNativeResource, nameCausesFor } from './resource-names.ts';
import { part } from './spec.ts';

const sorted = (list: JsonObject): readonly (readonly [string, unknown])[] =>
  Object.entries(list).sort(([one], [other]) => (one < other ? -1 : 1));

/** What is wrong with what a container asks for and is limited to, at a path such as `spec.containers[0].resources`. */
export function containerResourceCauses(resources: JsonObject, field: string): readonly FieldCause[] {
  if (resources['limits'] === undefined && resources['requests'] === undefined) return [];
  const limits = part(resources, 'limits');
  const requests = part(resources, 'requests');
  const amounts = (list: JsonObject, at: string): readonly FieldCause[] =>
    sorted(list).flatMap(([name, text]) => [
      ...nameCausesFor('containers', name, `${at}[${name}]`),
      ...amountCauses(name, text, `${at}[${name}]`),
    ]);
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const isBacked = names.some((name) => name === 'cpu' || name === 'memory');
  return [
    ...amounts(limits, `${field}.limits`),
    ...sorted(requests).flatMap(([name, text]) => [
      ...amounts({ [name]: text }, `${field}.requests`),
      ...requestCauses(name, { request: String(text), limit: limits[name] }, field),
    ]),
    ...(names.some(isHugePages) && !isBacked ? [refused(field, 'HugePages require cpu or memory')] : []),
  ];
}

/** A container may ask for less than it is limited to only where the node can lend the rest to others. */
function requestCauses(
  name: string,
  { request, limit }: { readonly request: string; readonly limit: unknown },
  field: string,
): readonly FieldCause[] {
  const isShared = isNativeResource(name) && !isHugePages(name);
  if (limit === undefined)
    return isShared ? [] : [required(`${field}.limits`, 'Limit must be set for non overcommitable resources')];
  const text = String(limit);
  const isMore = isLargerQuantity(request, text);
  if (!isShared && (isMore || isLargerQuantity(text, request)))
    return [wrong(`${field}.requests`, request, `must be equal to ${name} limit of ${text}`)];
  return isMore ? [wrong(`${field}.requests`, request, `must be less than or equal to ${name} limit of ${text}`)] : [];
}
