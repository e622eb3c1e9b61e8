import type { Random } from '@ordinal/client';
import type { Pod, Service } from 'kubernetes-types/core/v1.js';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import type { Store } from '../controllers/store.ts';
import { portNamed } from './pod-network.ts';
import { refused } from './pod-request.ts';
import type { PodRequest } from './pod-request.ts';
import { backendsOf } from './service-endpoints.ts';
import type { Backend, EndpointSource } from './service-endpoints.ts';

/** Where the pods and Services are that requests go to. */
interface ProxyWorld {
  readonly store: Store;
  readonly source: EndpointSource;
  readonly random: Random;
}

/** Where a request to `[scheme:]name[:port]` goes. */
export function proxyTarget({ kind, namespace, place }: PodRequest, world: ProxyWorld): URL {
  const parts = place.split(':');
  const [first = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  const scheme = first === '' ? 'http' : first;
  if (kind === 'services') {
    const { address, port: at } = behindService({ namespace, name, port }, world);
    return new URL(`${scheme}://${address}:${at}`);
  }
  const pod = podNamed(namespace, name, world.store);
  const { podIP } = pod.status ?? {};
  if (podIP === undefined) throw refused(400, 'BadRequest', 'address not allowed');
  const at = port === '' ? (firstPort(pod) ?? 80) : /^\d+$/.test(port) ? port : portNamed(pod, port);
  return new URL(`${scheme}://${podIP}:${at}`);
}

/** Who answers for a Service, which the API server finds out by itself: a port by its number or its name, and one without a name where none is asked for. */
function behindService(
  { namespace, name, port: asked }: { readonly namespace: string; readonly name: string; readonly port: string },
  { store, source, random }: ProxyWorld,
): Backend {
  const service = store.find<Service>(kinds.service, namespace, name);
  if (service === undefined) throw refused(404, 'NotFound', `services "${name}" not found`);
  const ports = service.spec?.ports ?? [];
  const port = ports.find((each) => (/^\d+$/.test(asked) ? each.port === Number(asked) : (each.name ?? '') === asked));
  if (port === undefined && /^\d+$/.test(asked))
    throw refused(503, 'ServiceUnavailable', `no service port ${asked} found for service "${name}"`);
  const backends = port === undefined ? [] : backendsOf(service, port, source);
  const backend = backends[Math.floor(random() * backends.length)];
  if (backend === undefined) throw refused(503, 'ServiceUnavailable', `no endpoints available for service "${name}"`);
  return backend;
}

/** A pod; refused with 404 where there is none. */
export function podNamed(namespace: string, name: string, store: Store): LivePod {
  const pod = store.find<Pod>(kinds.pod, namespace, name);
  if (pod === undefined) throw refused(404, 'NotFound', `pods "${name}" not found`);
  return pod;
}

/** The port of a pod where none is asked for: the first that a container declares. */
const firstPort = ({ spec }: LivePod): number | undefined =>
  spec?.containers.flatMap(({ ports = [] }) => ports)[0]?.containerPort;
