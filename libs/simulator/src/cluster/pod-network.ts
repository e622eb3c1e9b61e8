import type { Node, Pod, Service } from 'kubernetes-types/core/v1.js';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import { isPodReady } from '../controllers/pod-condition.ts';
import { matchesLabels } from '../controllers/selector.ts';
import type { Store } from '../controllers/store.ts';
import { ConnectionRefused, ConnectionTimedOut } from '../node/network.ts';
import type { HostResolver, HttpHandler } from '../node/network.ts';
import type { SimulatedRequest } from '../node/program.ts';
import type { PodWorker } from '../node/pod-worker.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';

/** What finding a host in the cluster needs. */
export interface PodNetwork {
  readonly store: Store;
  readonly scheduler: Scheduler;
  /** The running part of a pod. */
  readonly workerOf: (pod: LivePod) => PodWorker | undefined;
  /** Whether the pod's node can be reached. */
  readonly reaches: (pod: LivePod) => boolean;
}

/** After so long a client that gets no answer to its first packet gives up: Go's dialer in the API server does (`net/http`, 30 s). */
const dialTimeoutMs = 30_000;

/**
 * Finds pods and services as the cluster's DNS and service proxy do: pod addresses, cluster addresses, ports of nodes, `service.namespace[.svc[.cluster.local]]`, and
 * `pod.service.namespace…` for the pods of a governing service.
 */
export function clusterHosts(network: PodNetwork): HostResolver {
  return (host, port) => {
    const byAddress = /^[0-9.]+$/.test(host) ? atAddress(host, port, network) : undefined;
    return byAddress ?? atName(host, port, network);
  };
}

function atAddress(ip: string, port: number, network: PodNetwork): HttpHandler | undefined {
  const pod = network.store.list<Pod>(kinds.pod).find(({ status }) => status?.podIP === ip);
  if (pod !== undefined) return podHandler(pod, port, network);
  const services = network.store.list<Service>(kinds.service);
  const service = services.find(({ spec }) => spec?.clusterIP === ip);
  if (service !== undefined) return serviceHandler(service, port, network);
  for (const each of services) {
    const own = each.spec?.ports?.find(({ nodePort }) => nodePort === port);
    if (own !== undefined && isNode(ip, network)) return serviceHandler(each, own.port, network);
  }
  return undefined;
}

const isNode = (ip: string, { store }: PodNetwork): boolean =>
  store.list<Node>(kinds.node).some(({ status }) => status?.addresses?.some(({ address }) => address === ip));

function atName(host: string, port: number, network: PodNetwork): HttpHandler | undefined {
  const labels = host.replace(/(\.svc)?(\.cluster\.local)?\.?$/, '').split('.');
  const { store } = network;
  if (labels.length === 2) {
    const service = store.find<Service>(kinds.service, labels[1] ?? '', labels[0] ?? '');
    const { type, externalName = '' } = service?.spec ?? {};
    if (type === 'ExternalName' && externalName !== host) return clusterHosts(network)(externalName, port);
    return service && serviceHandler(service, port, network);
  }
  if (labels.length !== 3) return undefined;
  const [hostname, subdomain, namespace = ''] = labels;
  const service = store.find<Service>(kinds.service, namespace, subdomain ?? '');
  const pod = store
    .list<Pod>(kinds.pod, namespace)
    .find(({ spec }) => spec?.hostname === hostname && spec?.subdomain === subdomain);
  if (service === undefined || pod === undefined || !matchesLabels(service.spec?.selector, pod.metadata.labels))
    return undefined;
  return isPodReady(pod) || service.spec?.publishNotReadyAddresses === true
    ? podHandler(pod, port, network)
    : undefined;
}

/** A request as it arrives at the port that a Service leads to. */
function at(request: SimulatedRequest, port: number): SimulatedRequest {
  const url = new URL(request.url);
  url.port = String(port);
  return { ...request, url };
}

function serviceHandler(
  service: { readonly metadata: { readonly namespace?: string }; readonly spec?: Service['spec'] },
  port: number,
  network: PodNetwork,
): HttpHandler {
  return (request) => {
    const pods = network.store
      .list<Pod>(kinds.pod, service.metadata.namespace)
      .filter((pod) => matchesLabels(service.spec?.selector, pod.metadata.labels))
      .filter(
        (pod) =>
          pod.metadata.deletionTimestamp === undefined &&
          (isPodReady(pod) || service.spec?.publishNotReadyAddresses === true),
      );
    const pod = pods[Math.floor(network.scheduler.random() * pods.length)];
    if (pod === undefined)
      throw new ConnectionRefused(`dial tcp ${service.spec?.clusterIP ?? ''}:${port}: connect: connection refused`);
    const declared = service.spec?.ports?.find((entry) => entry.port === port);
    const target = declared?.targetPort ?? port;
    const reached = typeof target === 'number' ? target : portNamed(pod, target);
    return podHandler(pod, reached, network)(reached === port ? request : at(request, reached));
  };
}

/** Has the container that declares the port answer, or the pod's only container, or its first. A node that can't be reached gives no answer and no error. */
function podHandler(pod: LivePod, port: number, { workerOf, reaches, scheduler }: PodNetwork): HttpHandler {
  return (request) => {
    if (!reaches(pod)) {
      return new Promise((_resolve, reject) => {
        scheduler.schedule(dialTimeoutMs, 'dial timeout', () => reject(new ConnectionTimedOut('i/o timeout')));
      });
    }
    const containers = pod.spec?.containers ?? [];
    const name = (
      containers.find(({ ports }) => ports?.some(({ containerPort }) => containerPort === port)) ?? containers[0]
    )?.name;
    const process = workerOf(pod)?.container(name)?.process;
    if (process === undefined) throw new ConnectionRefused('nothing listens');
    return process.request(request);
  };
}

/** The number of a named port of a pod; 0 where no container has it. */
export function portNamed(pod: LivePod, name: string): number {
  for (const { ports = [] } of pod.spec?.containers ?? [])
    for (const port of ports) if (port.name === name) return port.containerPort;
  return 0;
}
