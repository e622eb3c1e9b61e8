import type { KubernetesObject } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';

/** How often objects of one name came and went. */
export interface LifeCounts {
  readonly created: number;
  readonly deleted: number;
}

/** The lives of all objects of a history, by `kind namespace/name`; random parts of names are left out. */
export type LifeSummary = ReadonlyMap<string, LifeCounts>;

const ignored: ReadonlySet<string> = new Set([
  'events',
  'events.events.k8s.io',
  'leases.coordination.k8s.io',
  'persistentvolumes',
  'nodes',
]);

/**
 * Whether it is part of the history of a StatefulSet that is being taken down by a foreground cascade: its controller writes that again and again while the
 * garbage collector deletes it, at a pace that no operator has a part in.
 */
function isHistoryOfTheGoing(cluster: SimulatedCluster, kind: string, { metadata }: KubernetesObject): boolean {
  if (kind !== 'controllerrevisions.apps') return false;
  const sets = cluster.server.store.snapshot('statefulsets.apps').map(([, set]) => set.metadata);
  const of = metadata.ownerReferences?.map(({ uid }) => uid) ?? [];
  return sets.some(({ uid, deletionTimestamp }) => deletionTimestamp !== undefined && of.includes(uid));
}

/** Counts creations and deletions from now on. It found most bugs of Sieve (OSDI 2022): a child that came and went unseen at the end. */
export function countLives(cluster: SimulatedCluster): LifeSummary {
  const counts = new Map<string, { created: number; deleted: number }>();
  cluster.server.store.subscribe(({ kind, before, after, deleted, restored }) => {
    if (ignored.has(kind) || restored === true || (before !== undefined && !deleted)) return;
    if (isHistoryOfTheGoing(cluster, kind, after)) return;
    const key = `${kind} ${nameOf(after)}`;
    const count = counts.get(key) ?? { created: 0, deleted: 0 };
    if (deleted) count.deleted += 1;
    else count.created += 1;
    counts.set(key, count);
  });
  return counts;
}

/** Where a history differs from the one without faults, in words. */
export function compareLives(reference: LifeSummary, history: LifeSummary): readonly string[] {
  const differences: string[] = [];
  const none: LifeCounts = { created: 0, deleted: 0 };
  for (const key of [...new Set([...reference.keys(), ...history.keys()])].sort()) {
    const [expected, actual] = [reference.get(key) ?? none, history.get(key) ?? none];
    if (expected.created === actual.created && expected.deleted === actual.deleted) continue;
    differences.push(
      `${key}: created ${actual.created}× and deleted ${actual.deleted}×, without faults ${expected.created}× and ${expected.deleted}×`,
    );
  }
  return differences;
}

/** What the API server adds to `generateName`, sometimes digits alone. Members of a StatefulSet have a `generateName` too, and their ordinal after it. */
const generatedSuffix = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;

function nameOf({ metadata }: KubernetesObject): string {
  const { generateName } = metadata;
  const isGenerated = generateName !== undefined && generatedSuffix.test(metadata.name.slice(generateName.length));
  const name = isGenerated ? `${generateName}*` : metadata.name;
  // A name that is made of a UID's hash is another one with each seed.
  return `${metadata.namespace ?? ''}/${name.replace(/-[0-9a-f]{8,10}(?=-|$)/g, '-#')}`;
}
