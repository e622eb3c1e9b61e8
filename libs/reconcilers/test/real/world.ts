import { readFileSync } from 'node:fs';
import { clusteredCaches, kvStoreClusters } from '@ordinal/api';
import type { Client, KubernetesObject, Pod, ResourceDescriptor } from '@ordinal/client';
import { pods } from '@ordinal/client';
import type { ControllerDefinition, Logger } from '@ordinal/runtime';
import { parse } from 'yaml';
import { clusteredCacheController } from '../../src/clustered-cache/index.ts';
import type { Probes } from '../../src/health-check/index.ts';
import { kvStoreClusterController } from '../../src/kv-store-cluster/index.ts';

const crd = (name: string): object =>
  parse(readFileSync(new URL(`../../../api/crds/${name}.yaml`, import.meta.url), 'utf8')) as object;

/** The definitions of the two kinds. */
export const definitions: readonly object[] = [
  crd('clusteredcaches.cache.my.domain'),
  crd('kvstoreclusters.kvstore.example.com'),
];

/** A place where a life happens: the simulation, or a real control plane. No nodes are part of it. */
export interface RealOrSimulated {
  readonly client: Client;
  readonly now: () => number;
  readonly pass: (ms: number) => Promise<unknown>;
}

/** What was done and why, in order: the operator's decisions as it carried them out. */
export class DecisionRecord {
  readonly lines: string[] = [];

  /**
   * What was decided, to be compared: hashes in names are those of UIDs, so they are left out, and what was done again before its effect was seen (a real
   * server's events take their time) counts once.
   */
  get decisions(): readonly string[] {
    const named = this.lines.map((line) => line.replace(/-[0-9a-f]{10}(?=,)/, '-HASH'));
    return named.filter((line, index) => line !== named[index - 1]);
  }

  /** A logger that keeps what `execute` says of each action. */
  get logger(): Logger {
    const silent = (): void => undefined;
    const info = (fields: Readonly<Record<string, unknown>>, message: string): void => {
      if (typeof fields['because'] === 'string') this.lines.push(`${message}, because ${fields['because']}`);
    };
    const logger: Logger = { debug: silent, info, warn: silent, error: silent, child: () => logger };
    return logger;
  }
}

/** Every member answers yes to everything; one of an image called `bad` says no. */
function probesOf(client: Client): Probes {
  return {
    http: async ({ namespace, name }) => {
      const pod = await client(pods).namespace(namespace).find(name);
      return { status: pod?.spec.containers[0]?.image?.endsWith(':bad') ? 500 : 200, body: '' };
    },
    exec: () => Promise.reject(new Error('nobody is asked by a command')),
  };
}

/** The controllers of both kinds. */
export function controllers(client: Client): readonly ControllerDefinition[] {
  const probes = probesOf(client);
  return [clusteredCacheController({ probes }), kvStoreClusterController({ probes })];
}

const time = (moment: number): string => `${new Date(moment).toISOString().slice(0, 19)}Z`;
const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;

/** What a kubelet would say of a pod now; undefined where it has said it. */
function report(pod: Pod, now: number): object | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return undefined;
  const isTask = pod.metadata.labels?.['ordinal.dev/purpose'] !== undefined;
  if (isTask) return pod.status?.phase === 'Succeeded' ? undefined : { phase: 'Succeeded' };
  const works = !pod.spec.containers[0]?.image?.endsWith(':broken');
  if (works ? isReady(pod) : pod.status?.phase === 'Running') return undefined;
  const status = works ? 'True' : 'False';
  return {
    phase: 'Running',
    podIP: '10.0.0.1',
    conditions: [{ type: 'Ready', status, lastTransitionTime: time(now) }],
  };
}

/** Plays the kubelet once over all pods: those that exist start, those of Jobs succeed, those that are being deleted end. */
async function playKubelet({ client, now }: RealOrSimulated): Promise<void> {
  const resource = client(pods).namespace('default');
  const { items } = await resource.list();
  for (const pod of items) {
    const status = report(pod, now());
    if (status) await resource.status.patch(pod.metadata.name, { type: 'merge', body: { status } }).catch(gone);
    // A pod without a node is gone as soon as it is deleted, unless a finalizer keeps its name: nothing is left to end.
  }
}

const gone = (failure: unknown): undefined => {
  if ((failure as { readonly code?: string }).code !== 'NotFound') throw failure;
  return undefined;
};

const tickMs = 200;

/** Lets time pass and the kubelet play until it is true. Throws after five minutes. */
export async function until(world: RealOrSimulated, what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = world.now() + 300_000;
  while (!(await isTrue())) {
    if (world.now() > deadline) throw new Error(`five minutes have passed without: ${what}`);
    await playKubelet(world);
    await world.pass(tickMs);
  }
}

/** One of the objects, as it is now. */
export async function look<T extends KubernetesObject>(
  { client }: RealOrSimulated,
  descriptor: ResourceDescriptor<T>,
  name: string,
): Promise<T | undefined> {
  return client(descriptor).namespace('default').find(name);
}

export { clusteredCaches, kvStoreClusters };
