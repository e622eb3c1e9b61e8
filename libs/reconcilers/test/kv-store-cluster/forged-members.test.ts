import { controllerReference, pods, statefulSets } from '@ordinal/client';
import { expect, test } from 'vitest';
import { storeNow } from './kv-store-world.ts';
import { ready } from './store-steps.ts';

// Who may create pods may name any owner for them.
test.each([
  ['no seal', {}],
  ['a seal that they have made up', { 'ordinal.dev/seal': 'a'.repeat(43) }],
])(
  'a pod that a user gives the cluster for its controller, with %s, makes it no larger',
  async (_what, annotations) => {
    const cluster = await ready({ scaleDown: { before: { command: ['move'] } } });
    const member = cluster.objects.find(pods, 'default', 'orders-0')!;
    const owner = storeNow(cluster)!;
    const { labels } = member.metadata;
    const sizes = new Set<number | undefined>();
    cluster.server.store.subscribe(({ kind, after }) => {
      if (kind === 'statefulsets.apps') sizes.add((after as { spec?: { replicas?: number } }).spec?.replicas);
    });
    await cluster
      .client()(pods)
      .namespace('default')
      .create({
        ...{ apiVersion: 'v1', kind: 'Pod' },
        metadata: {
          name: 'orders-9',
          ownerReferences: [controllerReference(owner)],
          ...(labels && { labels }),
          annotations,
        },
        spec: { containers: [{ name: 'kvstore', image: 'my-repo/kvstore:1.0' }] },
      });
    await cluster.advance(120_000);
    expect([...sizes].filter((size) => size !== 3)).toEqual([]);
    expect(cluster.objects.find(statefulSets, 'default', 'orders')?.spec.replicas).toBe(3);
    expect(cluster.objects.list(pods, 'default').map(({ metadata }) => metadata.name)).not.toContain('orders-8');
    cluster.stop();
  },
);
