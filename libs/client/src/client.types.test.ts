import { describe, expectTypeOf, it } from 'vitest';
import type { Pod } from './builtin/index.ts';
import { nodes, pods, statefulSets } from './builtin/index.ts';
import type { Client } from './client.ts';
import type { ResourceDescriptor } from './descriptor.ts';
import { metadataOnly } from './metadata-only.ts';
import type { KubernetesObject, KubernetesObjectInput } from './object.ts';

interface Cache extends KubernetesObject {
  readonly spec: { readonly replicas: number };
}
interface CacheInput extends KubernetesObjectInput {
  readonly apiVersion: 'cache.my.domain/v1';
  readonly kind: 'ClusteredCache';
  readonly spec: { readonly replicas?: number };
}
declare const caches: ResourceDescriptor<Cache, CacheInput>;

// Never called: the compiler is the test, in `npm run typecheck`.
const uses = {
  async reads(client: Client) {
    expectTypeOf(await client(pods).namespace('shop').get('a')).toEqualTypeOf<Pod>();
    expectTypeOf(await client(pods).namespace('shop').find('a')).toEqualTypeOf<Pod | undefined>();
    expectTypeOf((await client(caches).list()).items[0]?.spec.replicas).toEqualTypeOf<number | undefined>();
    for await (const event of client(caches).watch()) {
      expectTypeOf(event.object).toEqualTypeOf<Cache>();
      // @ts-expect-error an error is thrown, not an event
      if (event.type === 'ERROR') return;
    }
    const partial = await client(metadataOnly(pods)).namespace('shop').get('a');
    // @ts-expect-error only the metadata was read
    return partial.spec.nodeName as unknown;
  },
  async writes(client: Client) {
    const shop = client(caches).namespace('shop');
    const cache: CacheInput = {
      apiVersion: 'cache.my.domain/v1',
      kind: 'ClusteredCache',
      metadata: { name: 'a' },
      spec: {},
    };
    await shop.create(cache);
    // @ts-expect-error of another kind
    await client(statefulSets).namespace('shop').create(cache);
    // @ts-expect-error no such field
    await shop.create({ ...cache, spec: { replica: 1 } });
    // @ts-expect-error a manager has a name
    await shop.apply(cache, { fieldManager: 1 });
    // @ts-expect-error not a kind of patch
    await shop.patch('a', { type: 'apply', body: {} });
    // @ts-expect-error a JSON patch is a list of operations
    await shop.patch('a', { type: 'json', body: [] });
    // @ts-expect-error no such policy
    await shop.delete('a', { propagationPolicy: 'background' });
  },
  async places(client: Client) {
    await client(nodes).cluster().get('a');
    // @ts-expect-error one object has a namespace, or is the cluster's: say which
    await client(nodes).get('a');
    // @ts-expect-error a name is a string
    await client(pods).namespace('shop').get(1);
  },
};

describe('the client’s types', () => {
  it('refuse mistakes', () => {
    expectTypeOf(uses).not.toBeAny();
  });
});
