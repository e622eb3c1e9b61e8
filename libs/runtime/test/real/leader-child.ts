// One of two replicas. It writes its name into every ledger, again and again, as long as it may.
import { configMaps, createClient, httpTransport, systemClock } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { controller, createManager, requeueAfter } from '@ordinal/runtime';

const [identity = '', port = '', namespace = ''] = process.argv.slice(2);
const server = await kubeconfigServer({ files: [process.env['KUBECONFIG'] ?? ''] });
const url = new URL(server.url);
url.port = port;
const client = () => createClient({ transport: httpTransport({ ...server, url: url.origin }), timeoutMs: 3000 });
setInterval(() => undefined, 60_000);
await createManager({
  client: client(),
  clock: systemClock,
  random: Math.random,
  name: 'example.com/ledger',
  identity,
  namespaces: [namespace],
  leaderElection: { client: client(), namespace, name: 'ledger', leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 500 },
})
  .add(
    controller('ledger')
      .for(configMaps, { labelSelector: 'ledger' })
      .options({ concurrency: 5, backoff: { baseMs: 20, capMs: 200, jitter: 0.2 } })
      .reconcile(async (key, { cache, client: write }) => {
        const ledger = cache.get(configMaps, key);
        if (ledger === undefined) return requeueAfter(1000);
        const { uid, resourceVersion } = ledger.metadata;
        const data = { writer: identity, count: String(Number(ledger.data?.['count'] ?? 0) + 1) };
        await write(configMaps)
          .namespace(key.namespace)
          .patch(key.name, { type: 'merge', body: { metadata: { uid, resourceVersion }, data } });
        return requeueAfter(10);
      }),
  )
  .start();
