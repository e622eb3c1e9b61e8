import type { Client, ResourceDescriptor } from '@ordinal/client';
import { expect, test } from 'vitest';
import { clientsOf } from './clients.ts';
import { cloudDatabases, clusteredCaches, kvStoreClusters, monitoredStatefulSets } from './index.ts';

test('there is a typed client for each kind, made from its descriptor', () => {
  // Only the call is used, and what it returns is not.
  const client = ((descriptor: ResourceDescriptor) => descriptor) as unknown as Client;
  expect(clientsOf(client)).toEqual({ cloudDatabases, clusteredCaches, kvStoreClusters, monitoredStatefulSets });
});

test('descriptors carry what kubectl and a cache need to know', () => {
  expect(monitoredStatefulSets).toMatchObject({ plural: 'monitoredstatefulsets', scope: 'Namespaced' });
  expect(monitoredStatefulSets.shortNames).toEqual(['mss', 'databasecluster']);
  expect(clusteredCaches.subresources).toMatchObject({ status: true, scale: { specReplicasPath: '.spec.replicas' } });
  expect(cloudDatabases.immutablePaths).toContain('spec.engine');
});
