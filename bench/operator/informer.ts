// Our informer in the informer benchmark: the caches of one controller that never has anything to do. MODE: fields (the default), meta or full.
import { createClient, httpTransport, metadataOnly, pods, systemClock } from '@ordinal/client';
import type { KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { awaitChange, controller, createManager, withAnnotations, withFields } from '@ordinal/runtime';
import { clusteredCaches } from './caches.ts';

const marker = process.env['BENCH_MARKER'];
const patched = Number(process.env['BENCH_PATCHED']);
const kubeconfig = process.env['KUBECONFIG'];
if (kubeconfig === undefined) throw new Error('KUBECONFIG is not set: it names the API server of the benchmark');

// The longest time for which the event loop could not answer: a timer of 1 ms that measures its own delay.
let block = 0;
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  block = Math.max(block, now - last - 1);
  last = now;
}, 1);

function report(event: string, objects: number): void {
  // One turn later, so that the block that led here is counted.
  setTimeout(() => {
    process.stdout.write(`${JSON.stringify({ event, objects, blockMs: Math.round(block) })}\n`);
    block = 0;
  }, 5);
}

const kinds: Readonly<
  Record<string, readonly [ResourceDescriptor<KubernetesObject>, ResourceDescriptor<KubernetesObject>]>
> = {
  full: [clusteredCaches, pods],
  fields: [
    withFields(clusteredCaches, ['spec', 'status']),
    withFields(pods, ['spec.nodeName', 'status.phase', 'status.conditions']),
  ],
  // As the metadata informer of client-go beside it, without annotations.
  meta: [withAnnotations(metadataOnly(clusteredCaches), []), withAnnotations(metadataOnly(pods), [])],
};
const [caches, workloads] = kinds[process.env['MODE'] ?? 'fields'] ?? kinds['fields']!;

let seen = 0;
const count = ({ type, object }: { readonly type: string; readonly object: KubernetesObject }): boolean => {
  if (type === 'updated' && object.metadata.labels?.['bench-marker'] === marker) {
    seen += 1;
    if (seen === patched) report('applied', seen);
  }
  return false;
};
const client = createClient({
  transport: httpTransport(await kubeconfigServer({ files: [kubeconfig] })),
  userAgent: 'ordinal-bench',
});
const manager = createManager({ client, clock: systemClock, random: Math.random, name: 'bench', identity: 'informer' });
manager.add(
  controller('informer')
    .for(caches, { predicate: count })
    .watches(workloads, () => [], { predicate: count })
    .reconcile(async () => awaitChange()),
);
const synced = setInterval(() => {
  if (!manager.readiness().ready) return;
  clearInterval(synced);
  report(
    'synced',
    manager.caches().reduce((sum, { objects }) => sum + objects, 0),
  );
}, 5);
await manager.start();
