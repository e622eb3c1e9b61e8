import { expect, it } from 'vitest';
import { systemClock } from '@ordinal/client';
import type { JsonObject } from '../request.ts';
import { ApiServer } from '../server.ts';

it('has an address object for each address of a Service, while it has it', () => {
  const server = new ApiServer({ clock: systemClock, random: Math.random, completes: true });
  const services = { group: '', version: 'v1', plural: 'services' };
  server.execute({
    verb: 'create',
    resource: { group: '', version: 'v1', plural: 'namespaces' },
    body: { metadata: { name: 'default' } },
  });
  const create = (name: string, spec: JsonObject) =>
    server.execute({ verb: 'create', resource: services, namespace: 'default', body: { metadata: { name }, spec } });
  const parents = () =>
    server.store
      .snapshot('ipaddresses.networking.k8s.io')
      .map(([address, { spec }]) => [address, (spec as { parentRef: { name: string } }).parentRef.name])
      .sort();
  expect(server.store.get('services', 'default/kubernetes')).toMatchObject({ spec: { clusterIP: '10.96.0.1' } });
  const own = { address: '172.18.0.2', label: { 'kubernetes.io/service-name': 'kubernetes' } };
  expect(server.store.get('endpointslices.discovery.k8s.io', 'default/kubernetes')).toMatchObject({
    metadata: { labels: own.label },
    endpoints: [{ addresses: [own.address], conditions: { ready: true } }],
  });
  expect(server.store.get('endpoints', 'default/kubernetes')).toMatchObject({
    subsets: [{ addresses: [{ ip: own.address }] }],
  });
  expect(server.store.get('servicecidrs.networking.k8s.io', 'kubernetes')).toMatchObject({
    spec: { cidrs: ['10.96.0.0/16'] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  create('web', { clusterIP: '10.96.9.9', ports: [{ port: 80 }] });
  create('headless', { clusterIP: 'None', ports: [{ port: 80 }] });
  expect(parents()).toEqual([
    ['10.96.0.1', 'kubernetes'],
    ['10.96.9.9', 'web'],
  ]);
  server.execute({ verb: 'delete', resource: services, namespace: 'default', name: 'web' });
  expect(parents()).toEqual([['10.96.0.1', 'kubernetes']]);
});
