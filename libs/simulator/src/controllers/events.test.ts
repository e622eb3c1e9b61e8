import type { KubernetesObject } from '@ordinal/client';
import type { Event } from 'kubernetes-types/core/v1.js';
import { expect, test } from 'vitest';
import { SimulatedCluster } from '../index.ts';
import { administrator } from '../api-server/index.ts';
import { EventPublisher } from './events.ts';
import { kinds } from './kinds.ts';
import { ServerStore } from './server-store.ts';

test('what was said lately is counted, and what was said long ago is forgotten', async () => {
  const cluster = await SimulatedCluster.start({ events: false });
  const store = new ServerStore(cluster.server, administrator, 'test');
  const publisher = new EventPublisher(store, cluster.scheduler, 'test');
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'default', uid: 'u' } };
  const say = (message: string): void =>
    publisher.publish(pod as unknown as KubernetesObject, 'Normal', 'Said', message);
  const counts = (message: string): readonly unknown[] =>
    store.list<Event>(kinds.event, 'default').flatMap((event) => (event.message === message ? [event.count] : []));
  say('first');
  say('first');
  expect(counts('first')).toEqual([2]);
  for (let number = 0; number < 4096; number += 1) say(`message ${number}`);
  say('first');
  expect(counts('first').length).toBe(2);
  cluster.stop();
});
