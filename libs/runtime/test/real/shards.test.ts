import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { configMaps, createClient, httpTransport, namespaces, systemClock } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { awaitChange, controller, createManager } from '../../src/index.ts';
import type { Manager } from '../../src/index.ts';

// `npm run cluster -- control-plane`, then KUBECONFIG as it says.
const kubeconfig = process.env['KUBECONFIG'];
const namespace = `shards-${process.pid}`;

describe('two shards at a real API server', async () => {
  if (kubeconfig === undefined) {
    it.skip('skipped: KUBECONFIG does not name one');
    return;
  }
  const server = await kubeconfigServer({ files: [kubeconfig] });
  const user = createClient({ transport: httpTransport(server) });
  const managers: Manager[] = [];
  afterAll(async () => {
    await Promise.all(managers.map((manager) => manager.stop()));
    await user(namespaces).cluster().delete(namespace);
    await user.close();
  });

  it('each hold and work on what is theirs, and hand over what is given to the other', async () => {
    await user(namespaces)
      .cluster()
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const maps = user(configMaps).namespace(namespace);
    const worked: string[] = [];
    const start = (shard: string): Manager => {
      const manager = createManager({
        client: createClient({ transport: httpTransport(server) }),
        clock: systemClock,
        random: Math.random,
        name: 'example.com/shards',
        identity: shard,
        namespaces: [namespace],
        shard: { labelSelector: `shard=${shard}` },
      }).add(
        controller('maps')
          .for(configMaps)
          .reconcile(async (key, { cache }) => {
            if (cache.get(configMaps, key) !== undefined) worked.push(`${shard} ${key.name}`);
            return awaitChange();
          }),
      );
      managers.push(manager);
      void manager.start();
      return manager;
    };
    for (const [name, shard] of [
      ['a', 'one'],
      ['b', 'two'],
    ] as const)
      await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { shard } } });
    const [one, two] = [start('one'), start('two')];
    const held = (): number[] => [one, two].map((manager) => manager.caches()[0]?.objects ?? 0);
    const until = async (condition: () => boolean): Promise<void> => {
      for (const end = Date.now() + 20_000; Date.now() < end && !condition();) await pause(20);
    };
    await until(() => worked.length === 2);
    expect(worked.toSorted()).toEqual(['one a', 'two b']);
    expect(held()).toEqual([1, 1]);
    await maps.patch('a', { type: 'merge', body: { metadata: { labels: { shard: 'two' } } } });
    await until(() => worked.length === 3 && held()[0] === 0);
    expect(worked[2]).toBe('two a');
    expect(held()).toEqual([0, 2]);
  });
});
