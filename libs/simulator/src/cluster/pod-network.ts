import type { Node, Pod, Service } from 'kubernetes-types/core/v1.js';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import type { LiveService } from '../controllers/network/pods.ts';
import { addressInHosts, candidates, clusterDnsAddress, clusterDomain } from '../node/names.ts';
import type { NameConfig, NameServer } from '../node/names.ts';
import { ConnectionRefused, ConnectionTimedOut } from '../node/network.ts';
import type { HttpHandler, Network, Target } from '../node/network.ts';
import type { SimulatedRequest } from '../node/program.ts';
import type { PodWorker } from '../node/pod-worker.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { clusterDns } from './cluster-dns.ts';
import { sameProtocol } from './service-endpoints.ts';
import type { EndpointSource } from './service-endpoints.ts';
import { ServiceProxy } from './service-proxy.ts';

/** What finding a host in the cluster needs. */
export interface PodNetwork extends EndpointSource {
  readonly scheduler: Scheduler;
  /** The running part of a pod. */
  readonly workerOf: (pod: LivePod) => PodWorker | undefined;
  /** Whether the pod's node can be reached. */
  readonly reaches: (pod: LivePod) => boolean;
  /** What answers outside of the cluster. */
  readonly outside: (target: Target) => HttpHandler | undefined;
}

/** After so long a client that gets no answer to its first packet gives up: Go's dialer in the API server does (`net/http`, 30 s). */
const dialTimeoutMs = 30_000;

/** What is no pod may leave out the end of a name, as all pods may. */
const outsideNames: NameConfig = {
  servers: [clusterDnsAddress],
  searches: [`svc.${clusterDomain}`, clusterDomain],
  options: ['ndots:5'],
};

/** A place in the network: an address and a port of a protocol. */
type Place = Omit<Target, 'host'> & { readonly address: string };

/** The pods, Services and nodes of a cluster, as its network leads to them. */
class ClusterHosts {
  private readonly network: PodNetwork;
  /** The cluster's DNS. */
  readonly names: NameServer;
  private readonly proxy: ServiceProxy;

  constructor(network: PodNetwork) {
    this.network = network;
    this.names = clusterDns(network);
    this.proxy = new ServiceProxy(network, network.scheduler);
  }

  /** What answers at a host. */
  at(target: Target): HttpHandler | undefined {
    const { host, from } = target;
    const local = host === 'localhost' ? '127.0.0.1' : undefined;
    const known = isAddress(host) ? host : (local ?? (from && addressInHosts(host, from.hosts())));
    return known === undefined ? this.atName(target) : this.atAddress({ ...target, address: known });
  }

  private atName(target: Target): HttpHandler | undefined {
    const { names } = target.from ?? { names: outsideNames };
    if (!names.servers.includes(clusterDnsAddress)) return undefined;
    for (const name of candidates(target.host, names)) {
      const answer = this.names({ name, type: 'A' }) ?? [];
      const addresses = answer.filter(({ type }) => type === 'A');
      const chosen = addresses.length > 1 ? Math.floor(this.network.scheduler.random() * addresses.length) : 0;
      const address = addresses[chosen]?.value;
      if (address !== undefined) return this.atAddress({ ...target, address });
      const alias = answer.find(({ type }) => type === 'CNAME');
      if (alias !== undefined) return this.network.outside({ ...target, host: alias.value.replace(/\.$/, '') });
    }
    return undefined;
  }

  private atAddress(place: Place): HttpHandler | undefined {
    const { store, outside } = this.network;
    const address = place.address === '127.0.0.1' ? (place.from?.address ?? '') : place.address;
    const pods = store.list<Pod>(kinds.pod);
    const own = pods.filter(({ status }) => status?.podIP === address);
    const pod =
      own.length > 1 ? own.find((each) => this.network.workerOf(each)?.processAt(place.port) !== undefined) : own[0];
    if (pod !== undefined && pod.spec?.hostNetwork !== true) return this.inPod(pod, place.port);
    const services = store.list<Service>(kinds.service);
    const service = services.find((each) => addressesOf(each).includes(address));
    if (service !== undefined) return this.inService(service, place);
    if (!this.isNode(address)) return outside({ ...place, host: address });
    return this.onNode(place, address, { pod, pods, services });
  }

  /** A port of a node: one that leads to a Service or to a pod, or one of a pod that is on the node's own network. */
  private onNode(
    place: Place,
    address: string,
    {
      pod,
      pods,
      services,
    }: {
      readonly pod: LivePod | undefined;
      readonly pods: readonly LivePod[];
      readonly services: readonly LiveService[];
    },
  ): HttpHandler | undefined {
    const { port } = place;
    for (const service of services) {
      const own = service.spec?.ports?.find((each) => each.nodePort === port && sameProtocol(each, place));
      if (own !== undefined) return this.inService(service, { ...place, port: own.port });
    }
    const asked = [undefined, '', '0.0.0.0', place.address];
    for (const each of pods) {
      if (each.status?.hostIP !== address || each.spec?.hostNetwork === true) continue;
      const ports = each.spec?.containers.flatMap(({ ports: declared = [] }) => declared) ?? [];
      const own = ports.find(
        (declared) => declared.hostPort === port && sameProtocol(declared, place) && asked.includes(declared.hostIP),
      );
      if (own === undefined) continue;
      const handler = this.inPod(each, own.containerPort);
      return (request) => handler(at(request, own.containerPort));
    }
    return pod && this.inPod(pod, port);
  }

  private isNode(ip: string): boolean {
    const nodes = this.network.store.list<Node>(kinds.node);
    return nodes.some(({ status }) => status?.addresses?.some(({ address }) => address === ip));
  }

  private inService(service: LiveService, place: Place): HttpHandler {
    const { port } = place;
    return (request) => {
      const declared = service.spec?.ports?.find((each) => each.port === port && sameProtocol(each, place));
      const backend = declared && this.proxy.choose(service, declared, request.client);
      const handler = backend && this.atAddress({ ...place, ...backend });
      if (backend === undefined || handler === undefined)
        throw new ConnectionRefused(`dial tcp ${service.spec?.clusterIP ?? ''}:${port}: connect: connection refused`);
      return handler(backend.port === port ? request : at(request, backend.port));
    };
  }

  /** Has the container that listens at the port answer, or the pod's first. A node that can't be reached gives no answer and no error. */
  private inPod(pod: LivePod, port: number): HttpHandler {
    const { workerOf, reaches, scheduler } = this.network;
    return (request) => {
      if (!reaches(pod)) {
        return new Promise((_resolve, reject) => {
          scheduler.schedule(dialTimeoutMs, 'dial timeout', () => reject(new ConnectionTimedOut('i/o timeout')));
        });
      }
      const worker = workerOf(pod);
      const process = worker?.processAt(port) ?? worker?.container()?.process;
      if (process === undefined) throw new ConnectionRefused('nothing listens');
      return process.request(request);
    };
  }
}

/** Puts the pods, Services and nodes of a cluster on a network: by their addresses, and by the names that the cluster's DNS has for them. */
export function attachHosts(network: Network, cluster: Omit<PodNetwork, 'outside'>): void {
  const hosts = new ClusterHosts({ ...cluster, outside: ({ host, port }) => network.externalAt(host, port) });
  network.addResolver((target) => hosts.at(target));
  network.nameServer(clusterDnsAddress, hosts.names);
}

const isAddress = (host: string): boolean => /^[0-9.]+$/.test(host);

/** The addresses that lead to a Service. */
function addressesOf({ spec, status }: LiveService): readonly string[] {
  const { clusterIP = '', externalIPs = [] } = spec ?? {};
  return [clusterIP, ...externalIPs, ...(status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip)];
}

/** A request as it arrives at the port that another one leads to. */
function at(request: SimulatedRequest, port: number): SimulatedRequest {
  const url = new URL(request.url);
  url.port = String(port);
  return { ...request, url };
}

/** The number of a named port of a pod; 0 where no container has it. */
export function portNamed(pod: LivePod, name: string): number {
  for (const { ports = [] } of pod.spec?.containers ?? [])
    for (const port of ports) if (port.name === name) return port.containerPort;
  return 0;
}
