import { setTimeout as pause } from 'node:timers/promises';
import type { Client, StatefulSet } from '@ordinal/client';
import { configMaps, isApiError, namespaces, statefulSets } from '@ordinal/client';

/** Where it is. */
export const fencePlace = { name: 'fence', namespace: 'kube-fence' } as const;
const lookAgainMs = 5;
/** An owner that does not exist. */
const absent = { apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid: '00000000-0000-4000-8000-000000000000' };

/** Whether a change is that of the fence, and shows nothing of the world. */
export const isOfFence = ({ namespace }: { readonly namespace?: string | undefined }): boolean =>
  namespace === fencePlace.namespace;

/**
 * Something that the controller manager has to notice and answer: when it has, it has also had its turn at what happened before. How slow the machine is does not matter
 * then. For the controller of StatefulSets it is one without members; for the garbage collector, an object to leave to itself and one whose owner is not there.
 */
export class Fence {
  private readonly client: Client;
  private passes = 0;

  constructor(client: Client) {
    this.client = client;
  }

  /** Puts it up. */
  async start(): Promise<void> {
    const labels = { app: fencePlace.name };
    await this.client(namespaces)
      .cluster()
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: fencePlace.namespace } })
      .catch(unlessThere);
    await this.client(statefulSets)
      .namespace(fencePlace.namespace)
      .create({
        ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: fencePlace },
        spec: {
          ...{ replicas: 0, serviceName: fencePlace.name, selector: { matchLabels: labels } },
          template: { metadata: { labels }, spec: { containers: [{ name: 'none', image: 'none' }] } },
        },
      })
      .catch(unlessThere);
  }

  /** Resolves when the controllers have answered to a change that is made now: that of StatefulSets and, on request, the garbage collector. */
  async pass({ collector }: { readonly collector: boolean }): Promise<void> {
    await Promise.all([this.askStatefulSets(), collector ? this.askCollector() : undefined]);
  }

  private async askCollector(): Promise<void> {
    const { namespace } = fencePlace;
    const resource = this.client(configMaps).namespace(namespace);
    const number = (this.passes += 1);
    const metadata = (what: string) => ({ namespace, name: `${what}-${process.pid}-${Date.now()}-${number}` });
    const at = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
    const owner = await resource.create({ ...at, metadata: metadata('owner') });
    const left = await resource.create({ ...at, metadata: { ...metadata('left'), ownerReferences: [absent] } });
    await resource.delete(owner.metadata.name, { propagationPolicy: 'Orphan' });
    for (const { metadata: of } of [owner, left])
      while ((await resource.find(of.name)) !== undefined) await pause(lookAgainMs);
  }

  private async askStatefulSets(): Promise<void> {
    const resource = this.client(statefulSets).namespace(fencePlace.namespace);
    const body = { spec: { minReadySeconds: Math.floor(Math.random() * 1_000_000) } };
    let set: StatefulSet = await resource.patch(fencePlace.name, { type: 'merge', body });
    const wanted = set.metadata.generation ?? 0;
    while ((set.status?.observedGeneration ?? 0) < wanted) {
      await pause(lookAgainMs);
      set = await resource.get(fencePlace.name);
    }
  }
}

function unlessThere(error: unknown): void {
  if (!isApiError(error, 'AlreadyExists', 'Conflict')) throw error;
}
