import type { KubernetesObject, StatefulSet } from '@ordinal/client';
import { statefulSets } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { pass } from '../faults/pass.ts';

/** Longer than what was decided before a change of the spec is still under way, in milliseconds. */
const underWayMs = 10_000;

/** What a resource asks of its StatefulSet, as it is now. */
export interface Asked {
  readonly image: string;
  readonly replicas: number;
  /** The image to go back to, or to stay with: that of the last version that all members ran. Undefined where nothing has failed, and no Job has to succeed before the first member is replaced. */
  readonly before: string | undefined;
  /** From how many members a reduction comes that waits for its Job or their gates, or how many there are that are to have room; undefined where neither is so. */
  readonly shrinkingFrom?: number | undefined;
}

/** What is remembered of one history: when each resource's spec has changed last, and the last write of a StatefulSet. */
interface Memory {
  readonly changed: Map<string, { readonly generation: number; readonly at: number }>;
  /** How large each StatefulSet was when another client made it smaller, or deleted it: so large it may be again while a reduction waits. */
  readonly madeSmaller: Map<string, number>;
  last?: { readonly revision: number; readonly now: StatefulSet; readonly previous: StatefulSet };
}

const imageOf = ({ spec }: StatefulSet): string | undefined => spec.template.spec?.containers[0]?.image;
const sizeOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1;

/** What is wrong with what the operator has made of a StatefulSet. */
function wrongWith(
  now: StatefulSet,
  previous: StatefulSet,
  asked: Asked & { readonly kept: number },
): string | undefined {
  const [image = '', size, before] = [imageOf(now), sizeOf(now), sizeOf(previous)];
  if (image !== imageOf(previous) && image !== asked.image && image !== asked.before)
    return `its members are to run ${image}, where ${asked.image} is asked for`;
  const isFurtherOff =
    (size > before && size > Math.max(asked.replicas, asked.kept)) ||
    (size < before && size < asked.replicas && asked.replicas <= before);
  return isFurtherOff ? `it went from ${before} to ${size} members, where ${asked.replicas} are asked for` : undefined;
}

/**
 * What the operator writes is what is asked for now (I9), and what it goes back to is what all members ran before (S0.7). `storage` names the kind, and `asked` reads
 * an object of it; a resource's StatefulSet has its name.
 */
export function oldSpecsAreNotCarriedOut(
  storage: string,
  asked: (cluster: TestCluster, name: string) => Asked | undefined,
): Invariant {
  const memories = new WeakMap<TestCluster, Memory>();
  const memoryOf = (cluster: TestCluster): Memory => {
    const memory = memories.get(cluster) ?? { changed: new Map(), madeSmaller: new Map() };
    memories.set(cluster, memory);
    return memory;
  };
  const isNew = (cluster: TestCluster, name: string): boolean =>
    cluster.clock.now() - (memoryOf(cluster).changed.get(name)?.at ?? 0) < underWayMs;
  const noteSpec = (cluster: TestCluster, { metadata: { name, generation = 0 } }: KubernetesObject): void => {
    const { changed } = memoryOf(cluster);
    if (changed.get(name)?.generation !== generation) changed.set(name, { generation, at: cluster.clock.now() });
  };
  return {
    name: 'what is done is what is asked for now (I9, S0.7)',
    afterChange: (cluster, { kind, type, object, previous }) => {
      if (kind === storage) noteSpec(cluster, object);
      if (kind === 'statefulsets.apps' && type === 'DELETED')
        memoryOf(cluster).madeSmaller.set(object.metadata.name, sizeOf(object as StatefulSet)); // Of this kind.
      if (kind === 'statefulsets.apps' && type === 'MODIFIED') {
        const memory = memoryOf(cluster);
        const write = { now: object as StatefulSet, previous: previous as StatefulSet }; // Of this kind.
        memory.last = { revision: cluster.server.store.revision, ...write };
        // Whose write it is shows when its request ends.
        const { name } = object.metadata;
        const before = sizeOf(write.previous);
        if (sizeOf(write.now) < before)
          memory.madeSmaller.set(name, Math.max(before, memory.madeSmaller.get(name) ?? 0));
      }
      return undefined;
    },
    // Others may write what they want.
    afterRequest: (cluster, { kind, status }) => {
      const { last, madeSmaller } = memoryOf(cluster);
      if (kind !== 'statefulsets.apps' || status >= 300 || last?.revision !== cluster.server.store.revision)
        return undefined;
      const { name } = last.now.metadata;
      const before = madeSmaller.get(name) ?? 0;
      // What the operator has written ends that, be it as large again or smaller.
      if (sizeOf(last.now) !== sizeOf(last.previous)) madeSmaller.delete(name);
      const wanted = isNew(cluster, name) ? undefined : asked(cluster, name);
      if (wanted === undefined) return undefined;
      return wrongWith(last.now, last.previous, { ...wanted, kept: Math.min(before, wanted.shrinkingFrom ?? 0) });
    },
  };
}

/** The operator ends, and is shown objects of this kind, by its plural name, as they were at an earlier time, for a while after its return. */
export async function restartInThePast(
  cluster: TestCluster,
  until: (condition: () => boolean) => Promise<void>,
  { plural, at }: { readonly plural: string; readonly at: number },
): Promise<void> {
  const forMs = 20_000;
  const operator = cluster.operators.find(({ name }) => name === 'operator');
  operator?.crash();
  operator?.travelBack(plural, cluster.clock.now() - at, forMs);
  operator?.start();
  await pass(cluster, until, forMs);
}

/** From now on the operator sees no events of this kind, by its plural name. Returns what ends that. */
export function hideEvents(cluster: TestCluster, plural: string): () => void {
  const operator = cluster.operators.find(({ name }) => name === 'operator');
  return operator?.holdEvents(plural) ?? (() => undefined);
}

/** The StatefulSet of this name has this image in its template. */
export const asksFor = (cluster: TestCluster, name: string, image: string): boolean => {
  const set = cluster.objects.find(statefulSets, 'default', name);
  return set !== undefined && imageOf(set) === image;
};
