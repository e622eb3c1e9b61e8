import type { Client } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { declaredControllers } from '../controllers.ts';
import { preflight } from './preflight.ts';

const definitions = declaredControllers(['CloudDatabase']);

interface Cluster {
  /** The versions that the definition serves; undefined where it is not installed. */
  readonly served?: readonly string[];
  /** Whether something may be done. */
  readonly allows?: (attributes: {
    readonly verb: string;
    readonly resource: string;
    readonly namespace?: string;
  }) => boolean;
}

function clientOf({ served, allows = () => true }: Cluster): { readonly client: Client; readonly most: () => number } {
  let running = 0;
  let most = 0;
  const found = served && { spec: { versions: served.map((name) => ({ name, served: true })) } };
  const resource = () => ({ cluster: () => ({ find: () => Promise.resolve(found) }) });
  const request = async (_method: string, _path: string, { body }: { readonly body: never }): Promise<unknown> => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    const { resourceAttributes } = (body as { readonly spec: { readonly resourceAttributes: never } }).spec;
    return { status: { allowed: allows(resourceAttributes) } };
  };
  return { client: Object.assign(resource, { request }) as unknown as Client, most: () => most };
}

const look = (cluster: Cluster, namespaces: readonly string[] = []) =>
  preflight({ client: clientOf(cluster).client, definitions, namespaces });

describe('what is looked at when the operator starts', () => {
  test('is nothing to speak of where all is there', async () => {
    expect(await look({ served: ['v1'] })).toEqual([]);
  });

  test('names a definition that is not installed', async () => {
    const [missing] = await look({});
    expect(missing).toMatchObject({ what: 'definition' });
    expect(missing?.message).toContain('clouddatabases.db.example.com');
  });

  test('names the versions that are served instead', async () => {
    const [missing] = await look({ served: ['v1beta1'] });
    expect(missing).toMatchObject({ what: 'version' });
    expect(missing?.message).toContain('serves v1beta1 and not v1');
  });

  test('names each permission that is not given, by verb, resource and namespace', async () => {
    const allows = ({ verb, resource, namespace }: { verb: string; resource: string; namespace?: string }): boolean =>
      !(verb === 'watch' && resource === 'secrets' && namespace === 'shop');
    const missing = await look({ served: ['v1'], allows }, ['shop', 'stock']);
    expect(missing).toEqual([
      {
        what: 'permission',
        message: 'the operator may not watch secrets in namespace shop: give it that in its Role or ClusterRole',
      },
    ]);
  });

  test('is asked for a few at a time, so that no connection is opened for it that nobody needs later', async () => {
    const { client, most } = clientOf({ served: ['v1'] });
    await preflight({ client, definitions, namespaces: ['a', 'b', 'c'] });
    expect(most()).toBeLessThanOrEqual(4);
  });
});
