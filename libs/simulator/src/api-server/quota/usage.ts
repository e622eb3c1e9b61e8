import type { Instant } from '@ordinal/client';
import { isNativeResource } from '../kinds/resource-names.ts';
import { items, part, specOf } from '../kinds/spec.ts';
import type { JsonObject } from '../request.ts';
import { parseQuantity } from '../schema/quantity.ts';
import type { Quantity } from '../schema/quantity.ts';
import { number } from './amounts.ts';
import type { Amounts } from './amounts.ts';
import { podLimits, podRequests } from './pod-resources.ts';
import { claimInScope, podInScope } from './scopes.ts';
import type { ScopeSelector } from './scopes.ts';

/** How objects of a kind are counted. */
interface Measure {
  /** Whether a resource of a quota is one that these objects use. */
  readonly counts: (name: string) => boolean;
  /** Whether an object is in a scope: kinds without scopes are in none. */
  readonly inScope: (object: JsonObject, selector: ScopeSelector) => boolean;
  /** What an object uses. */
  readonly usage: (object: JsonObject, now: Instant) => Amounts;
}

const prefixes = ['hugepages-', 'requests.hugepages-'];
const podNames: ReadonlySet<string> = new Set([
  ...['count/pods', 'pods', 'cpu', 'memory', 'ephemeral-storage'],
  ...['requests.cpu', 'requests.memory', 'requests.ephemeral-storage'],
  ...['limits.cpu', 'limits.memory', 'limits.ephemeral-storage'],
]);

/** Resources that nodes offer beside those that every node has, such as GPUs. */
const isExtended = (name: string): boolean =>
  (!isNativeResource(name) && !name.startsWith('requests.')) || name.startsWith('deviceclass.resource.kubernetes.io/');

const isExtendedRequest = (name: string): boolean =>
  name.startsWith('requests.') &&
  (!isNativeResource(name) || name.startsWith('requests.deviceclass.resource.kubernetes.io/'));

/** What quotas call the requests and limits of a container, or of a pod. */
export function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage = new Map<string, Quantity>([['pods', number(1)]]);
  for (const [name, quantity] of requests) {
    const isShared = ['cpu', 'memory', 'ephemeral-storage'].includes(name) || name.startsWith('hugepages-');
    if (isShared) usage.set(name, quantity);
    if (isShared || isExtended(name)) usage.set(`requests.${name}`, quantity);
  }
  for (const name of ['cpu', 'memory', 'ephemeral-storage']) {
    const limit = limits.get(name);
    if (limit !== undefined) usage.set(`limits.${name}`, limit);
  }
  return usage;
}

/** Whether a pod has not ended. One that should long be gone, such as on a lost node, counts as ended. */
export function isCounted(pod: JsonObject, now: Instant): boolean {
  const { phase } = part(pod, 'status');
  if (phase === 'Failed' || phase === 'Succeeded') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = part(pod, 'metadata');
  if (typeof deletionTimestamp !== 'string' || deletionGracePeriodSeconds === undefined) return true;
  return now <= Date.parse(deletionTimestamp) + Number(deletionGracePeriodSeconds) * 1000;
}

const pods: Measure = {
  counts: (name) => podNames.has(name) || prefixes.some((prefix) => name.startsWith(prefix)) || isExtendedRequest(name),
  inScope: podInScope,
  usage: (pod, now) => {
    const count = ['count/pods', number(1)] as const;
    return isCounted(pod, now) ? new Map([count, ...computeUsage(podRequests(pod), podLimits(pod))]) : new Map([count]);
  },
};

const services: Measure = {
  counts: (name) => ['count/services', 'services', 'services.nodeports', 'services.loadbalancers'].includes(name),
  inScope: () => false,
  usage: (service) => {
    const { type, ports, allocateLoadBalancerNodePorts } = specOf(service);
    const isBalanced = type === 'LoadBalancer';
    const counted =
      isBalanced && allocateLoadBalancerNodePorts === false
        ? items(ports).filter(({ nodePort }) => Number(nodePort ?? 0) !== 0)
        : items(ports);
    return new Map([
      ['count/services', number(1)],
      ['services', number(1)],
      ['services.nodeports', number(isBalanced || type === 'NodePort' ? counted.length : 0)],
      ['services.loadbalancers', number(isBalanced ? 1 : 0)],
    ]);
  },
};

const claimNames = ['persistentvolumeclaims', 'requests.storage'];
const ofClass = '.storageclass.storage.k8s.io/';

const claims: Measure = {
  counts: (name) =>
    name === 'count/persistentvolumeclaims' ||
    claimNames.includes(name) ||
    claimNames.some((each) => name.endsWith(`${ofClass}${each}`)),
  inScope: claimInScope,
  usage: (claim) => {
    const { storageClassName, resources } = specOf(claim);
    const annotated = part(part(claim, 'metadata'), 'annotations')['volume.beta.kubernetes.io/storage-class'];
    const className = String(annotated ?? storageClassName ?? '');
    const usage = new Map<string, Quantity>([['count/persistentvolumeclaims', number(1)]]);
    const set = (name: string, quantity: Quantity): void => {
      usage.set(name, quantity);
      if (className !== '') usage.set(`${className}${ofClass}${name}`, quantity);
    };
    set('persistentvolumeclaims', number(1));
    const storage = requestedStorage(claim, part(resources as JsonObject, 'requests')['storage']);
    if (storage !== undefined) set('requests.storage', storage);
    return usage;
  },
};

/** Whole bytes. A claim whose growth was taken back may have more than it asks for. */
function requestedStorage(claim: JsonObject, asked: unknown): Quantity | undefined {
  const wanted = parseQuantity(String(asked));
  if (wanted === undefined) return undefined;
  const got = parseQuantity(String(part(part(claim, 'status'), 'allocatedResources')['storage']));
  const quantity = got !== undefined && got.nano > wanted.nano ? got : wanted;
  const unit = 1_000_000_000n;
  return { ...quantity, nano: ((quantity.nano + unit - 1n) / unit) * unit };
}

/** Kinds that quotas counted before they counted any kind. */
const aliases: ReadonlySet<string> = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);

function objects(storage: string): Measure {
  const names = [`count/${storage}`, ...(aliases.has(storage) ? [storage] : [])];
  return {
    counts: (name) => names.includes(name),
    inScope: () => false,
    usage: () => new Map(names.map((name) => [name, number(1)])),
  };
}

const special: Readonly<Record<string, Measure>> = { pods, services, persistentvolumeclaims: claims };

/** How objects are counted that are kept under a name: `plural.group`. */
export const measureOf = (storage: string): Measure =>
  Object.hasOwn(special, storage) ? (special[storage] ?? objects(storage)) : objects(storage);
