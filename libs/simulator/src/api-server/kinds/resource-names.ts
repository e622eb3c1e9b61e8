import type { FieldCause } from '../status.ts';
import { parseQuantity } from '../schema/quantity.ts';
import { wrong } from './causes.ts';
import { qualifiedName } from './names.ts';

const standard: ReadonlySet<string> = new Set([
  ...['cpu', 'memory', 'ephemeral-storage', 'storage'],
  ...['requests.cpu', 'requests.memory', 'requests.ephemeral-storage', 'requests.storage'],
  ...['limits.cpu', 'limits.memory', 'limits.ephemeral-storage'],
  ...['pods', 'resourcequotas', 'services', 'replicationcontrollers', 'secrets', 'configmaps'],
  ...['persistentvolumeclaims', 'services.nodeports', 'services.loadbalancers'],
]);

/** Whether a resource is memory in large pages. */
export const isHugePages = (name: string): boolean => /^(requests\.)?hugepages-/.test(name);

/** Whether quotas know a name that is no qualified one. */
export const isQuotaName = (name: string): boolean => (name !== 'storage' && standard.has(name)) || isHugePages(name);

/** Whether containers know a name that is no qualified one. */
const isContainerName = (name: string): boolean =>
  ['cpu', 'memory', 'ephemeral-storage'].includes(name) || name.startsWith('hugepages-');

/** What is wrong with the name of a resource. */
export function resourceNameCauses(name: string, field: string): readonly FieldCause[] {
  const problems = qualifiedName(name);
  if (problems.length > 0) return problems.map((message) => wrong(field, name, message));
  if (name.includes('/') || standard.has(name) || isHugePages(name)) return [];
  return [wrong(field, name, 'must be a standard resource type or fully qualified')];
}

/** What is wrong with the name of a resource that is to be one of a quota, or of a container. */
export function nameCausesFor(use: 'quota' | 'containers', name: string, field: string): readonly FieldCause[] {
  const isKnown = use === 'quota' ? isQuotaName(name) : isContainerName(name);
  return [
    ...resourceNameCauses(name, field),
    ...(name.includes('/') || isKnown ? [] : [wrong(field, name, `must be a standard resource for ${use}`)]),
  ];
}

/** Whether every node has a resource, or could have. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** Whether a resource is counted in whole things. */
const isWhole = (name: string): boolean =>
  /^(pods|resourcequotas|services(\..*)?|replicationcontrollers|secrets|configmaps|persistentvolumeclaims)$/.test(
    name,
  ) ||
  (!isNativeResource(name) && !name.startsWith('requests.'));

/** What is wrong with an amount of a resource. */
export function amountCauses(name: string, text: unknown, field: string): readonly FieldCause[] {
  const nano = parseQuantity(String(text))?.nano ?? 0n;
  return [
    ...(nano < 0n ? [wrong(field, text, 'must be greater than or equal to 0')] : []),
    ...(isWhole(name) && nano % 1_000_000_000n !== 0n ? [wrong(field, text, 'must be an integer')] : []),
  ];
}
