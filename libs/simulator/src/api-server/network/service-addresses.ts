import { specOf } from '../kinds/spec.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject, ResourceAddress } from '../request.ts';
import type { ApiServer } from '../server.ts';
import type { Change } from '../store/store.ts';

const addresses = { group: 'networking.k8s.io', version: 'v1', plural: 'ipaddresses' };
const ranges = { group: 'networking.k8s.io', version: 'v1', plural: 'servicecidrs' };
const endpoints = { group: '', version: 'v1', plural: 'endpoints' };
const slices = { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices' };
const services = { group: '', version: 'v1', plural: 'services' };

/** The addresses that Services get, and the one of the server itself. */
const serviceRange = '10.96.0.0/16';
const ownAddress = '10.96.0.1';
/** Where the server itself listens, and at which port. */
const hostAddress = '172.18.0.2';
const hostPort = 6443;

/**
 * Keeps what a real server has of its Services' addresses: the range they come from, an IPAddress for each, and the Service `kubernetes`, which comes with the
 * namespace `default`.
 */
export function followServices(server: ApiServer): void {
  createRange(server);
  server.store.subscribe((change) => {
    if (change.restored === true) return;
    if (change.kind === 'services') followService(server, change);
    else if (change.kind === 'namespaces' && change.key === 'default' && change.before === undefined) {
      create(server, services, ownService, 'default');
      create(server, endpoints, ownEndpoints, 'default');
      create(server, slices, ownSlice, 'default');
    }
  });
}

function create(server: ApiServer, resource: ResourceAddress, body: JsonObject, namespace?: string): void {
  const place = namespace === undefined ? {} : { namespace };
  server.execute({ verb: 'create', resource, body, userAgent: 'kube-apiserver', ...place });
}

function createRange(server: ApiServer): void {
  const name = 'kubernetes';
  create(server, ranges, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name },
    spec: { cidrs: [serviceRange] },
  });
  const lastTransitionTime = new Date(server.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const message = 'Kubernetes default Service CIDR is ready';
  const ready = { type: 'Ready', status: 'True', reason: '', message, lastTransitionTime };
  server.execute({
    verb: 'patch',
    patchType: 'merge',
    resource: ranges,
    name,
    subresource: 'status',
    userAgent: 'kube-apiserver',
    body: { status: { conditions: [ready] } },
  });
}

const ownService: JsonObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
  spec: {
    type: 'ClusterIP',
    clusterIP: ownAddress,
    ipFamilyPolicy: 'SingleStack',
    sessionAffinity: 'None',
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: hostPort }],
  },
};

/** The server says itself where it is: no controller mirrors its Endpoints. */
const ownEndpoints: JsonObject = {
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: {
    name: 'kubernetes',
    namespace: 'default',
    labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
  },
  subsets: [{ addresses: [{ ip: hostAddress }], ports: [{ name: 'https', port: hostPort, protocol: 'TCP' }] }],
};

const ownSlice: JsonObject = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    name: 'kubernetes',
    namespace: 'default',
    labels: { 'kubernetes.io/service-name': 'kubernetes' },
  },
  addressType: 'IPv4',
  endpoints: [{ addresses: [hostAddress], conditions: { ready: true } }],
  ports: [{ name: 'https', port: hostPort, protocol: 'TCP' }],
};

function followService(server: ApiServer, { before, after, deleted }: Change): void {
  const former = addressesOf(before);
  const present = deleted ? [] : addressesOf(after);
  const { name, namespace = '' } = after.metadata;
  for (const address of former)
    if (!present.includes(address)) server.execute({ verb: 'delete', resource: addresses, name: address });
  for (const address of present)
    if (!former.includes(address)) create(server, addresses, addressObject(address, { name, namespace }));
}

function addressesOf(service: StoredObject | undefined): readonly string[] {
  const { clusterIPs } = specOf((service ?? {}) as JsonObject);
  return Array.isArray(clusterIPs) ? clusterIPs.map(String).filter((address) => address !== 'None') : [];
}

const addressObject = (
  address: string,
  service: { readonly name: string; readonly namespace: string },
): JsonObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IPAddress',
  metadata: {
    name: address,
    labels: {
      'ipaddress.kubernetes.io/ip-family': address.includes(':') ? 'IPv6' : 'IPv4',
      'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
    },
  },
  spec: { parentRef: { group: '', resource: 'services', ...service } },
});
