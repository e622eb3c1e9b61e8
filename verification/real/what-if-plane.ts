import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clusteredCaches, kvStoreClusters } from '@ordinal/api';
import type { KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import { conditionOf, httpTransport, storageClasses } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { startControlPlane } from '@ordinal/control-plane';
import { AttachedCluster } from '@ordinal/simulator';
import { cacheOperator } from '../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { kvStoreOperator } from '../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import type { TimelineEntry } from '../../tools/kubectl-ordinal/src/what-if/timeline.ts';
import { Timeline } from '../../tools/kubectl-ordinal/src/what-if/timeline.ts';
import { definitions } from './definitions.ts';
import { runPlugin } from './plugin.ts';

/** Our kinds, as far as is read of them here. */
interface Resource extends KubernetesObject {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly upgrade?: object;
    readonly failure?: object;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: 'True' | 'False' | 'Unknown';
      readonly reason: string;
      readonly message: string;
      readonly lastTransitionTime: string;
    }[];
  };
}

/** What was predicted of a change, and what has happened. */
export interface Compared {
  readonly predicted: readonly string[];
  readonly happened: readonly string[];
  readonly waits: readonly string[];
  /** What the program has said besides. */
  readonly err: string;
}

/** A real API server with its controllers and scheduler, nodes of the simulation, and the operator. */
export interface WhatIfPlane {
  readonly cluster: AttachedCluster;
  /** Creates something, and waits until it is ready where it is of our kinds. */
  readonly create: (descriptor: ResourceDescriptor, object: KubernetesObjectInput) => Promise<void>;
  /** Predicts a change, makes it, and compares. */
  readonly compare: (descriptor: ResourceDescriptor, object: KubernetesObjectInput) => Promise<Compared>;
  readonly stop: () => Promise<void>;
}

const lineOf = ({ about, what }: TimelineEntry): string => `${about} ${what}`;

/** It is at rest when nothing has changed for so long, in milliseconds. */
const restMs = 20_000;
const limitMs = 900_000;

function isAtEnd(resource: Resource | undefined): boolean {
  const { observedGeneration, upgrade, failure, conditions } = resource?.status ?? {};
  if (observedGeneration !== resource?.metadata.generation) return false;
  return failure !== undefined || (upgrade === undefined && conditionOf(conditions, 'Ready')?.status === 'True');
}

/** What the program prints of a manifest, as data. */
async function predict(cluster: AttachedCluster, kubeconfig: string, object: KubernetesObjectInput) {
  const args = ['what-if', '-f', '-', '-o', 'json', '--members-behave', 'members.yaml'];
  // The API server has no way to members on nodes of the simulation: what they answer when they are asked has to be said.
  const files = { 'members.yaml': 'gates: { ready-for-shutdown: open }' };
  const said = await runPlugin(args, { kubeconfig, clock: cluster.clock, input: JSON.stringify(object), files });
  const { timeline, waits } = JSON.parse(said.out) as Pick<Compared, 'waits'> & { timeline: readonly TimelineEntry[] };
  return { predicted: timeline.map(lineOf), waits, err: said.err };
}

/** Starts one; or says why there is none. */
export async function whatIfPlane(): Promise<WhatIfPlane | { readonly skipped: string }> {
  const plane = await startControlPlane({
    environment: process.env,
    definitions,
    build: { program: fileURLToPath(new URL('../../tools/cluster/cluster', import.meta.url)) },
  });
  if ('skipped' in plane) return plane;
  const folder = mkdtempSync(join(tmpdir(), 'what-if-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, plane.kubeconfig);
  const transport = httpTransport(await kubeconfigServer({ text: plane.kubeconfig }));
  const cluster = await AttachedCluster.start({ transport, kinds: [clusteredCaches, kvStoreClusters], nodes: 3 });
  for (const image of ['cache:1', 'cache:2', 'kvstore:1.0', 'kvstore:2.0'])
    cluster.image(image, { startsIn: 2_000, http: () => 200 });
  cluster.operator('caches', cacheOperator());
  cluster.operator('stores', kvStoreOperator);
  const client = (descriptor: ResourceDescriptor) => cluster.client()(descriptor).namespace('default');
  const find = (descriptor: ResourceDescriptor, { metadata }: KubernetesObjectInput): Resource | undefined =>
    cluster.objects.find(descriptor, 'default', metadata.name ?? '');
  await cluster
    .client()(storageClasses)
    .cluster()
    .create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'standard' },
      provisioner: 'example.com/volumes',
    });
  return {
    cluster,
    create: async (descriptor, object) => {
      await client(descriptor).create(object);
      await cluster.run({ until: () => isAtEnd(find(descriptor, object)), maxVirtualMs: limitMs });
    },
    compare: async (descriptor, object) => {
      const prediction = await predict(cluster, kubeconfig, object);
      const names = [object.metadata.name ?? ''];
      const timeline = new Timeline(cluster.server.store, () => cluster.clock.now(), names);
      const { spec } = object as { readonly spec?: object };
      const { metadata } = await client(descriptor).patch(names[0] ?? '', { type: 'merge', body: { spec } });
      const isOver = (): boolean => {
        const now = find(descriptor, object);
        const isSeen = (now?.metadata.generation ?? 0) >= (metadata.generation ?? 0);
        return isSeen && isAtEnd(now) && cluster.clock.now() - timeline.changedAt >= restMs;
      };
      await cluster.run({ until: isOver, maxVirtualMs: limitMs });
      return { ...prediction, happened: timeline.entries.map(lineOf) };
    },
    stop: async () => {
      cluster.stop();
      await transport.close();
      await plane.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
