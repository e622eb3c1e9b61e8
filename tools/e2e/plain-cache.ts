import { redisImages } from './redis.ts';
import type { World } from './world.ts';

/** A cache of two members that keep nothing, and start and end quickly. */
export const plainCache = (namespace: string, name: string): object => ({
  apiVersion: 'cache.my.domain/v1',
  kind: 'ClusteredCache',
  metadata: { name, namespace },
  spec: {
    replicas: 2,
    image: redisImages.after,
    podTemplate: {
      spec: {
        containers: [{ name: 'cache', command: ['redis-server', '--save', ''] }],
        terminationGracePeriodSeconds: 5,
      },
    },
  },
});

/** The UIDs of a cache's pods that run. */
export async function podsOf({ kubernetes }: World, namespace: string, name: string): Promise<readonly string[]> {
  const pods = await kubernetes.list('pods', namespace, `app.kubernetes.io/instance=${name}`);
  return pods.filter(({ status }) => status?.phase === 'Running').map(({ metadata }) => metadata.uid ?? '');
}
