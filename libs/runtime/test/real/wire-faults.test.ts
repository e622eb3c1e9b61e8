import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { configMaps, createClient, httpTransport, namespaces, systemClock } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { awaitChange, controller, createManager } from '../../src/index.ts';
import { tcpProxy } from './tcp-proxy.ts';

// `npm run cluster -- control-plane`, then KUBECONFIG as it says. WIRE_CHANGES: how many changes are made while the wire is broken.
const kubeconfig = process.env['KUBECONFIG'];
const changes = Number(process.env['WIRE_CHANGES'] ?? 1000);
const objects = 50;
const namespace = `wire-${process.pid}`;

describe('an operator on a bad wire to a real API server', async () => {
  if (kubeconfig === undefined) {
    it.skip('skipped: KUBECONFIG does not name one');
    return;
  }
  const server = await kubeconfigServer({ files: [kubeconfig] });
  const user = createClient({ transport: httpTransport(server) });
  const url = new URL(server.url);
  const proxy = await tcpProxy({ host: url.hostname, port: Number(url.port) });
  const proxied = new URL(server.url);
  proxied.port = String(proxy.port);
  const operatorClient = createClient({
    transport: httpTransport({ ...server, url: proxied.origin }),
    timeoutMs: 5000,
  });
  afterAll(async () => {
    proxy.mend();
    await operatorClient.close();
    await proxy.close();
    await user(namespaces).cluster().delete(namespace);
    await user.close();
  });

  it(`reconciles every one of ${changes} changes, none of them twice at a time`, async () => {
    await user(namespaces)
      .cluster()
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const maps = user(configMaps).namespace(namespace);
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', onUnhandled);
    const active = new Set<string>();
    let twice = 0;
    // Each object's `wanted` is to be copied to `done`, by a write over the same wire.
    const manager = createManager({
      client: operatorClient,
      clock: systemClock,
      random: Math.random,
      name: 'example.com/wire',
      identity: 'wire',
      namespaces: [namespace],
      timing: { silenceMs: 3000, backoffBaseMs: 50, backoffCapMs: 1000 },
    }).add(
      controller('wire')
        .for(configMaps, { labelSelector: 'wire', predicate: () => true })
        .options({ concurrency: 8, backoff: { baseMs: 50, capMs: 1000, jitter: 0.2 } })
        .reconcile(async (key, { cache, client }) => {
          if (active.has(key.name)) twice += 1;
          active.add(key.name);
          try {
            const map = cache.get(configMaps, key);
            if (map === undefined || map.data?.['done'] === map.data?.['wanted']) return awaitChange();
            const { uid, resourceVersion } = map.metadata;
            const body = { metadata: { uid, resourceVersion }, data: { done: map.data?.['wanted'] } };
            await client(configMaps).namespace(key.namespace).patch(key.name, { type: 'merge', body });
            return awaitChange();
          } finally {
            active.delete(key.name);
          }
        }),
    );
    const running = manager.start();
    for (let n = 0; n < objects; n += 1) {
      await maps.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `map-${n}`, labels: { wire: 'yes' } },
        data: { wanted: '0', done: '' },
      });
    }
    let changing = true;
    const breaking = (async () => {
      for (let fault = 0; changing; fault += 1) {
        if (fault % 3 === 0) proxy.reset();
        else if (fault % 3 === 1) proxy.stall();
        else proxy.cut();
        await pause(fault % 3 === 1 ? 400 : 100);
        proxy.mend();
        await pause(300);
      }
      return undefined;
    })();
    for (let change = 1; change <= changes; change += 1) {
      await maps.patch(`map-${change % objects}`, { type: 'merge', body: { data: { wanted: String(change) } } });
    }
    changing = false;
    await breaking;
    const behind = async (): Promise<string[]> => {
      const { items } = await maps.list({ labelSelector: 'wire' });
      return items.filter(({ data }) => data?.['done'] !== data?.['wanted']).map(({ metadata }) => metadata.name);
    };
    for (const end = Date.now() + 60_000; Date.now() < end && (await behind()).length > 0;) await pause(200);
    expect(await behind()).toEqual([]);
    await manager.stop();
    await running;
    process.off('unhandledRejection', onUnhandled);
    expect({ twice, unhandled }).toEqual({ twice: 0, unhandled: [] });
  }, 180_000);
});
