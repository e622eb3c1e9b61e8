import { expect, it } from 'vitest';
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.js';
import { SimulatedCluster } from '../../cluster/simulated-cluster.ts';
import type { JsonObject } from '../../api-server/request.ts';

const slicesAre = { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices' };

async function clusterWithService(selector?: JsonObject) {
  const cluster = await SimulatedCluster.start({ nodes: 0 });
  const write = (plural: string, body: JsonObject): void => {
    const resource = { group: '', version: 'v1', plural };
    const { status } = cluster.server.execute({ verb: 'create', namespace: 'default', resource, body });
    expect(status).toBe(201);
  };
  const spec = { ports: [{ port: 80 }], ...(selector && { selector }) };
  write('services', { metadata: { name: 'outside' }, spec });
  const addresses = [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }];
  const notReadyAddresses = [{ ip: '2001:db8::1' }];
  const subsets = [{ addresses, notReadyAddresses, ports: [{ name: 'http', port: 8080 }] }];
  if (selector === undefined) write('endpoints', { metadata: { name: 'outside', labels: { mine: 'yes' } }, subsets });
  await cluster.advance(1000);
  const slices = (): readonly EndpointSlice[] =>
    cluster.server.execute({ verb: 'list', namespace: 'default', resource: slicesAre }).body['items'] as never;
  return { cluster, slices };
}

it('mirrors the Endpoints of a Service without a selector, a slice for each family', async () => {
  const { cluster, slices } = await clusterWithService();
  expect(
    slices().map(({ addressType, endpoints }) => [addressType, endpoints.map(({ addresses }) => addresses[0])]),
  ).toEqual(
    expect.arrayContaining([
      ['IPv4', ['192.0.2.1', '192.0.2.2']],
      ['IPv6', ['2001:db8::1']],
    ]),
  );
  expect(slices()[0]?.metadata?.labels).toMatchObject({
    mine: 'yes',
    'kubernetes.io/service-name': 'outside',
    'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
  });
  cluster.stop();
});

it('follows changes, and takes its slices back when the Service is gone', async () => {
  const { cluster, slices } = await clusterWithService();
  const endpoints = { group: '', version: 'v1', plural: 'endpoints' };
  const target = { namespace: 'default', name: 'outside' };
  cluster.server.execute({
    ...target,
    verb: 'patch',
    patchType: 'merge',
    resource: endpoints,
    body: { subsets: [{ addresses: [{ ip: '192.0.2.9' }], ports: [{ name: 'http', port: 9090 }] }] },
  });
  await cluster.advance(1000);
  expect(slices().map(({ endpoints: own, ports }) => [own[0]?.addresses[0], ports?.[0]?.port])).toEqual([
    ['192.0.2.9', 9090],
  ]);
  cluster.server.execute({ ...target, verb: 'delete', resource: { ...endpoints, plural: 'services' } });
  await cluster.advance(1000);
  expect(slices()).toEqual([]);
  cluster.stop();
});
