import { items, part, specOf } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { added, amountsOf, filtered, largest } from './amounts.ts';
import type { Amounts } from './amounts.ts';

const none: Amounts = new Map();

/** Resources that may be given for a pod as a whole. */
const isPodLevel = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/** Whether a pod's spec asks for resources as a whole. */
export const hasPodLevelResources = (spec: JsonObject): boolean =>
  ['requests', 'limits'].some((side) => Object.keys(part(part(spec, 'resources'), side)).some(isPodLevel));

/** What a container asks for, or what it has got already where that is more: its resources may be changed while it runs. */
function requestsOf(container: JsonObject, statuses: readonly JsonObject[]): Amounts {
  const asked = amountsOf(part(container, 'resources')['requests']);
  const status = statuses.find(({ name }) => name === container['name']);
  if (status === undefined) return asked;
  const allocated = amountsOf(status['allocatedResources']);
  return largest(largest(asked, allocated), amountsOf(part(part(status, 'resources'), 'requests')));
}

function limitsOf(container: JsonObject, statuses: readonly JsonObject[]): Amounts {
  const asked = amountsOf(part(container, 'resources')['limits']);
  const status = statuses.find(({ name }) => name === container['name']);
  return status === undefined ? asked : largest(asked, amountsOf(part(part(status, 'resources'), 'limits')));
}

/** Containers run together; those that run before them one after the other, beside those that stay. */
function together(pod: JsonObject, of: (container: JsonObject, statuses: readonly JsonObject[]) => Amounts): Amounts {
  const spec = specOf(pod);
  const { containerStatuses, initContainerStatuses } = part(pod, 'status');
  const running = items(containerStatuses);
  const before = items(initContainerStatuses);
  let sum = items(spec['containers']).reduce((all, each) => added(all, of(each, running)), none);
  let staying = none;
  let start = none;
  for (const container of items(spec['initContainers'])) {
    const own = of(container, before);
    if (container['restartPolicy'] === 'Always') {
      sum = added(sum, own);
      staying = added(staying, own);
      start = largest(start, staying);
    } else start = largest(start, added(staying, own));
  }
  return largest(sum, start);
}

const withPodLevel = (amounts: Amounts, list: unknown): Amounts =>
  isObject(list) ? new Map([...amounts, ...filtered(amountsOf(list), isPodLevel)]) : amounts;

const requested = (pod: JsonObject): Amounts =>
  withPodLevel(together(pod, requestsOf), part(specOf(pod), 'resources')['requests']);
const limited = (pod: JsonObject): Amounts =>
  withPodLevel(together(pod, limitsOf), part(specOf(pod), 'resources')['limits']);

/** What a pod's spec asks for, whatever the pod has got. */
export const specifiedRequests = (spec: JsonObject): Amounts => requested({ spec });

/** What a pod's spec limits it to. */
export const specifiedLimits = (spec: JsonObject): Amounts => limited({ spec });

/** What a pod asks for in all. */
export const podRequests = (pod: JsonObject): Amounts => added(requested(pod), amountsOf(specOf(pod)['overhead']));

/** What a pod may use in all, of what is limited. */
export function podLimits(pod: JsonObject): Amounts {
  const limits = limited(pod);
  return added(
    limits,
    filtered(amountsOf(specOf(pod)['overhead']), (name) => limits.has(name)),
  );
}
