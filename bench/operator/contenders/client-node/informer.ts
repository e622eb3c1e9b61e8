// The informer benchmark's client-node side: two informers, nothing else.
import { CoreV1Api, CustomObjectsApi, KubeConfig, makeInformer } from '@kubernetes/client-node';
import type { KubernetesObject } from '@kubernetes/client-node';

const marker = process.env.BENCH_MARKER;
const patched = Number(process.env.BENCH_PATCHED);

// Longest time the event loop could not answer: a 1 ms timer that measures its own delay.
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
    console.log(JSON.stringify({ event, objects, blockMs: Math.round(block) }));
    block = 0;
  }, 5);
}

const kc = new KubeConfig();
kc.loadFromDefault();
const core = kc.makeApiClient(CoreV1Api);
const custom = kc.makeApiClient(CustomObjectsApi);
const caches = makeInformer<KubernetesObject>(kc, '/apis/cache.my.domain/v1/clusteredcaches', () =>
  custom.listClusterCustomObject({ group: 'cache.my.domain', version: 'v1', plural: 'clusteredcaches' }),
);
const pods = makeInformer<KubernetesObject>(kc, '/api/v1/pods', () => core.listPodForAllNamespaces());

let seen = 0;
for (const informer of [caches, pods]) {
  informer.on('update', (obj: KubernetesObject) => {
    if (obj.metadata?.labels?.['bench-marker'] === marker && ++seen === patched) report('applied', seen);
  });
  informer.on('error', (err: unknown) => {
    console.error(err);
    setTimeout(() => void informer.start(), 1000);
  });
}
await Promise.all([caches.start(), pods.start()]);
report('synced', caches.list().length + pods.list().length);
