import type { Container, Node, ResourceFieldSelector } from 'kubernetes-types/core/v1.js';
import { parseQuantity } from '../api-server/schema/quantity.ts';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import type { Store } from '../controllers/store.ts';

/** What a pod can be shown of itself while it runs. */
export interface PodFacts {
  readonly pod: LivePod;
  readonly podIp: string;
  readonly hostIp: string;
  readonly store: Store;
}

/** A field of the pod, as variables and files show it. One that is not there is empty. */
export function fieldOf(path: string, { pod, podIp, hostIp }: PodFacts): string {
  const { metadata, spec } = pod;
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  // The expression lets nothing else through.
  if (keyed !== null) return metadata[keyed[1] as 'labels' | 'annotations']?.[keyed[2] ?? ''] ?? '';
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'spec.nodeName': spec?.nodeName,
    'spec.serviceAccountName': spec?.serviceAccountName,
    'status.podIP': podIp,
    'status.podIPs': podIp,
    'status.hostIP': hostIp,
    'status.hostIPs': hostIp,
    'metadata.labels': linesOf(metadata.labels),
    'metadata.annotations': linesOf(metadata.annotations),
  };
  return fields[path] ?? '';
}

const linesOf = (map: Readonly<Record<string, string>> = {}): string =>
  Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}\n`)
    .join('');

/** How much a container asks for, or may use, in units of the divisor. A limit that it does not have is what its node has. */
export function resourceOf(
  { resource, divisor = '1' }: ResourceFieldSelector,
  container: Container | undefined,
  { pod, store }: Pick<PodFacts, 'pod' | 'store'>,
): string {
  const [list = '', ...name] = resource.split('.');
  const kind = name.join('.');
  const resources = container?.resources ?? {};
  const given = (list === 'limits' ? resources.limits : resources.requests)?.[kind];
  const node = store.find<Node>(kinds.node, '', pod.spec?.nodeName ?? '');
  const amount = given ?? (list === 'limits' ? node?.status?.allocatable?.[kind] : undefined) ?? '0';
  const unit = parseQuantity(divisor)?.nano ?? 0n;
  const per = unit === 0n ? 1_000_000_000n : unit;
  return String(((parseQuantity(amount)?.nano ?? 0n) + per - 1n) / per);
}
