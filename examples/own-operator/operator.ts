// An operator for a kind that the toolkit has never heard of: each Website is served by a Deployment, under a DNS record outside of the cluster.
// With --plan it prints what it would do and why, and does nothing.
import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { configMaps, createClient, deployments, httpTransport, systemClock } from '@ordinal/client';
import type { ObjectKey } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { decideOnError, execute, isSilent, plan, unsealed } from '@ordinal/lifecycle';
import { awaitChange, controller, createManager } from '@ordinal/runtime';
import type { ReconcileContext, Result } from '@ordinal/runtime';
import { jsonLogger } from '@ordinal/runtime/observability';
import { decide } from './decide.ts';
import type { Website } from './website.ts';
import { websites } from './website.ts';
import { zoneAt } from './zone.ts';

const { values: flags } = parseArgs({
  options: { plan: { type: 'boolean' }, zone: { type: 'string', default: 'http://127.0.0.1:8053' } },
});
const zone = zoneAt(flags.zone);
const labelSelector = 'example.com/website';

const definition = controller('website')
  .for(websites)
  .owns(configMaps, { labelSelector })
  .owns(deployments, { labelSelector })
  .writes(configMaps, ['create', 'patch'])
  .writes(deployments, ['create', 'patch'])
  .writes(websites, ['patch'])
  .writes(websites, ['patch'], 'status')
  .reconcile(async (key, context) => {
    const site = context.cache.get(websites, key);
    if (site === undefined) return awaitChange();
    try {
      return await reconcile(site, key, context);
    } catch (failure) {
      if (isSilent(failure) || flags.plan) throw failure; // It was decided on an old view: the queue tries again at once.
      const decision = decideOnError(failure, { descriptor: websites, object: site }, context.clock.now());
      return execute(decision, context, { seal: unsealed });
    }
  });

async function reconcile(site: Website, key: ObjectKey, context: ReconcileContext): Promise<Result> {
  const { cache, clock, outside, signal } = context;
  const [content, server] = [cache.get(configMaps, key), cache.get(deployments, key)];
  const record = await outside(() => zone.find(site.spec.host, signal));
  const decision = decide({ site, content, server, record }, clock.now());
  if (!flags.plan) {
    return execute(decision, context, { seal: unsealed, call: (call) => outside(() => zone.send(call, signal)) });
  }
  for (const line of plan(decision)) console.log(`${key.namespace}/${key.name}: ${line}`);
  return awaitChange();
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
const keepAlive = setInterval(() => undefined, 60_000); // The clock's timers keep no process alive.
const apiServer = await kubeconfigServer({ files: [process.env['KUBECONFIG'] ?? ''] });
const client = createClient({ transport: httpTransport(apiServer), fieldManager: 'website-operator' });
const logger = jsonLogger({ clock: systemClock });
const machine = { client, logger, clock: systemClock, random: Math.random };
await createManager({ ...machine, name: 'example.com/website', identity: hostname() })
  .add(definition)
  .start(stop.signal);
clearInterval(keepAlive);
await client.close();
