import { endpointSlices, pods, services } from '@ordinal/client';
import type { KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import type { Endpoints } from 'kubernetes-types/core/v1.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../../index.ts';
import { create, merge, object, quick } from '../../../test/objects.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false });
  cluster.image('app:1', quick);
});
afterEach(() => cluster.stop());

/** A pod of the Service with ports by their names. */
const pod = (name: string, ports: Readonly<Record<string, number>>) =>
  create(
    cluster,
    pods,
    object(
      'v1 Pod',
      name,
      {
        spec: {
          containers: [
            {
              name: 'main',
              image: 'app:1',
              ports: Object.entries(ports).map(([portName, containerPort]) => ({ name: portName, containerPort })),
            },
          ],
        },
      },
      { labels: { app: 'web' } },
    ),
  );
const service = (ports: readonly object[]) =>
  create(cluster, services, object('v1 Service', 'web', { spec: { selector: { app: 'web' }, ports } }));
const named = (name: string, port: number, targetPort: number | string) => ({ name, port, targetPort });

const endpoints: ResourceDescriptor<Endpoints & KubernetesObject> = {
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
  scope: 'Namespaced',
};
const addressOf = (name: string) => cluster.objects.find(pods, 'default', name)?.status?.podIP;
const subsets = () =>
  (cluster.objects.find(endpoints, 'default', 'web')?.subsets ?? []).map(({ addresses = [], ports = [] }) => [
    addresses.map(({ targetRef }) => targetRef?.name).join(' '),
    ports.map(({ name, port }) => `${name ?? ''}:${port}`).join(' '),
  ]);
const slices = () =>
  cluster.objects.list(endpointSlices, 'default').map((slice) => [
    // The server shows empty lists as null.
    (slice.endpoints as typeof slice.endpoints | null)?.map(({ targetRef }) => targetRef?.name).join(' ') ?? null,
    (slice.ports as typeof slice.ports | null)?.map(({ name, port }) => `${name ?? ''}:${String(port)}`).join(' ') ??
      null,
  ]);

test('a Service without pods has one empty slice, and no subsets', async () => {
  await service([named('http', 80, 'http')]);
  await cluster.advance(5000);
  expect(slices()).toEqual([[null, null]]);
  expect(subsets()).toEqual([]);
});

test('a named port that no pod has leads nowhere', async () => {
  await pod('one', { http: 8080 });
  await service([named('http', 80, 'http'), named('admin', 81, 'admin')]);
  await cluster.advance(5000);
  expect(subsets()).toEqual([['one', 'http:8080']]);
  expect(slices()).toEqual([['one', 'http:8080']]);
});

test('a pod without any of the ports is in no subset, and in a slice without ports', async () => {
  await pod('one', {});
  await service([named('http', 80, 'http')]);
  await cluster.advance(5000);
  expect(subsets()).toEqual([]);
  expect(slices()).toEqual([['one', null]]);
});

test('pods with different numbers for a name have subsets and slices of their own', async () => {
  await pod('new', { http: 9090 });
  await pod('old', { http: 8080 });
  await service([named('http', 80, 'http'), named('admin', 81, 7000)]);
  await cluster.advance(5000);
  expect(new Set(subsets())).toEqual(
    new Set([
      ['new', 'http:9090'],
      ['old', 'http:8080'],
      [[addressOf('new'), addressOf('old')].sort()[0] === addressOf('new') ? 'new old' : 'old new', 'admin:7000'],
    ]),
  );
  expect(new Set(slices())).toEqual(
    new Set([
      ['new', 'http:9090 admin:7000'],
      ['old', 'http:8080 admin:7000'],
    ]),
  );
  await cluster.client()(pods).namespace('default').delete('old');
  await cluster.advance(60_000);
  expect(slices()).toEqual([['new', 'http:9090 admin:7000']]);
});

test('slices and Endpoints follow the labels of their Service', async () => {
  await service([named('http', 80, 8080)]);
  await cluster.advance(5000);
  await merge(cluster, services, 'web', { metadata: { labels: { tier: 'front' } } });
  await cluster.advance(5000);
  expect(cluster.objects.list(endpointSlices, 'default')[0]?.metadata.labels).toMatchObject({ tier: 'front' });
  expect(cluster.objects.find(endpoints, 'default', 'web')?.metadata.labels).toMatchObject({ tier: 'front' });
});

test('slices and Endpoints that are deleted are made again', async () => {
  await pod('one', { http: 8080 });
  await service([named('http', 80, 'http')]);
  await cluster.advance(5000);
  const client = cluster.client();
  const [slice] = cluster.objects.list(endpointSlices, 'default');
  await client(endpointSlices)
    .namespace('default')
    .delete(slice?.metadata.name ?? '');
  await client(endpoints).namespace('default').delete('web');
  await cluster.advance(5000);
  expect(slices()).toEqual([['one', 'http:8080']]);
  expect(subsets()).toEqual([['one', 'http:8080']]);
});
