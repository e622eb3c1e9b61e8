import { ClusteredCache } from '@ordinal/constructs';
import { Construct } from 'constructs';
import { memberPod, memberUpgrade, portOf } from './members.ts';
import type { RedisCacheOptions } from './options.ts';
import { scripts } from './scripts.ts';

/**
 * Redis or Valkey as a ClusteredCache: one member leads, the others replicate it in memory, and no Sentinel is needed. An upgrade, a drain or a deleted pod has the
 * leader hand over first, with every write that it has acknowledged. docs/recipes/redis.md says what is promised and what is not.
 *
 * @example
 * new RedisCache(chart, 'sessions', { name: 'sessions', image: 'docker.io/library/redis:8.0' });
 */
export class RedisCache extends Construct {
  /** The resource, for what the options do not cover: `cache.resource.addJsonPatch(…)`. */
  readonly resource: ClusteredCache;

  constructor(scope: Construct, id: string, options: RedisCacheOptions) {
    super(scope, id);
    const { name, replicas = 3, image, upgrade } = options;
    scripts.add(this, name, replicas);
    this.resource = new ClusteredCache(this, 'cache', {
      metadata: { name },
      spec: {
        replicas,
        image,
        port: portOf(options),
        upgrade: { order: 'LeaderLast', ...memberUpgrade(), ...upgrade },
        podTemplate: memberPod(options, 'cache'),
      },
    });
  }
}
