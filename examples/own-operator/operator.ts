// A whole operator, for a kind that the toolkit has never heard of: it serves the page of every Website by a Deployment.
import { hostname } from 'node:os';
import { configMaps, createClient, deployments, httpTransport, systemClock } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { awaitChange, controller, createManager, isBeingDeleted } from '@ordinal/runtime';
import { patchStatus, withCondition, withController } from '@ordinal/runtime';
import { jsonLogger } from '@ordinal/runtime/observability';
import { websites } from './website.ts';

const apply = { fieldManager: 'website-operator', force: true };

const definition = controller('website')
  .for(websites)
  .owns(configMaps, { labelSelector: 'example.com/website' })
  .owns(deployments, { labelSelector: 'example.com/website' })
  .writes(configMaps, ['create', 'patch'])
  .writes(deployments, ['create', 'patch'])
  .writes(websites, ['patch'], 'status')
  .reconcile(async (key, context) => {
    const site = context.cache.get(websites, key);
    if (site === undefined || isBeingDeleted(site)) return awaitChange(); // Children go with their owner.
    const { page, replicas = 1 } = site.spec;
    const owner = { descriptor: websites, object: site };
    const labels = { 'example.com/website': key.name };
    const metadata = { ...key, labels };
    const data = { 'index.html': page };
    const content = withController({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as const, owner);
    await context.client(configMaps).namespace(key.namespace).apply(content, apply);

    const volumes = [{ name: 'page', configMap: { name: key.name } }];
    const volumeMounts = [{ name: 'page', mountPath: '/usr/share/nginx/html' }];
    const containers = [{ name: 'web', image: 'nginx:stable', volumeMounts }];
    const template = { metadata: { labels }, spec: { containers, volumes } };
    const spec = { replicas, selector: { matchLabels: labels }, template };
    const server = withController({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec } as const, owner);
    await context.client(deployments).namespace(key.namespace).apply(server, apply);

    const readyReplicas = context.cache.get(deployments, key)?.status?.readyReplicas ?? 0;
    const [status, reason] =
      readyReplicas >= replicas ? (['True', 'Serving'] as const) : (['False', 'Starting'] as const);
    const ready = { type: 'Ready', status, reason, message: `${readyReplicas} of ${replicas} ready` };
    const conditions = withCondition(site.status?.conditions, ready, context.clock.now());
    await patchStatus(context, websites, site, { readyReplicas, conditions });
    return awaitChange();
  });

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
const keepAlive = setInterval(() => undefined, 60_000); // The clock's timers keep no process alive.
const server = await kubeconfigServer({ files: [process.env['KUBECONFIG'] ?? ''] });
const client = createClient({ transport: httpTransport(server) });
const logger = jsonLogger({ clock: systemClock });
const machine = { client, logger, clock: systemClock, random: Math.random };
await createManager({ ...machine, name: 'example.com/website', identity: hostname() })
  .add(definition)
  .start(stop.signal);
clearInterval(keepAlive);
await client.close();
