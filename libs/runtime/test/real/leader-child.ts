// One of two replicas. It writes its name into every ledger of its pair, again and again, as long as it may.
import { configMaps, createClient, httpTransport, systemClock } from '@ordinal/client';
import type { ApiServer, Client } from '@ordinal/client';
import { controller, createManager, requeueAfter } from '@ordinal/runtime';

const [identity = '', url = '', token = '', namespace = '', pair = ''] = process.argv.slice(2);
const credentials = { headers: { authorization: `Bearer ${token}` }, tls: { rejectUnauthorized: false } };
const server: ApiServer = { url, credentials: () => Promise.resolve(credentials), refresh: () => undefined };
const client = (): Client => createClient({ transport: httpTransport(server), timeoutMs: 3000 });
setInterval(() => undefined, 60_000);
await createManager({
  client: client(),
  clock: systemClock,
  random: Math.random,
  name: 'example.com/ledger',
  identity,
  namespaces: [namespace],
  leaderElection: { client: client(), namespace, name: pair, leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 500 },
})
  .add(
    controller('ledger')
      .for(configMaps, { labelSelector: `ledger=${pair}` })
      .options({ concurrency: 5, backoff: { baseMs: 20, capMs: 200, jitter: 0.2 } })
      .reconcile(async (key, { cache, client: write }) => {
        const ledger = cache.get(configMaps, key);
        if (ledger === undefined) return requeueAfter(1000);
        const { uid, resourceVersion } = ledger.metadata;
        const data = { writer: identity, count: String(Number(ledger.data?.['count'] ?? 0) + 1) };
        await write(configMaps)
          .namespace(key.namespace)
          .patch(key.name, { type: 'merge', body: { metadata: { uid, resourceVersion }, data } });
        return requeueAfter(100);
      }),
  )
  .start();
