import type { KubernetesObject } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';

/** How often objects of one name came and went. */
export interface LifeCounts {
  readonly created: number;
  readonly deleted: number;
}

/** The lives of all objects of a history. */
export interface LifeSummary {
  /** By `kind namespace/name`; random parts of names are left out. */
  readonly objects: ReadonlyMap<string, LifeCounts>;
  /** How often the operator has given something up, by what the scenario says of each change (`Scenario.givesUp`). */
  readonly givenUp: number;
}

/** A change of an object, by which a scenario sees that something was given up. */
export interface LifeChange {
  readonly kind: string;
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject;
}

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
export function countLives(
  cluster: SimulatedCluster,
  givesUp: (change: LifeChange) => boolean = () => false,
): LifeSummary {
  const counts = new Map<string, { created: number; deleted: number }>();
  const summary = { objects: counts, givenUp: 0 };
  cluster.server.store.subscribe(({ kind, before, after, deleted, restored }) => {
    if (restored !== true && !deleted && givesUp({ kind, before, after })) summary.givenUp += 1;
    if (ignored.has(kind) || restored === true || (before !== undefined && !deleted)) return;
    if (isHistoryOfTheGoing(cluster, kind, after)) return;
    const key = `${kind} ${nameOf(after)}`;
    const count = counts.get(key) ?? { created: 0, deleted: 0 };
    if (deleted) count.deleted += 1;
    else count.created += 1;
    counts.set(key, count);
  });
  return summary;
}

/** What may make a difference between two histories. */
export interface Leeway {
  /** The operator's clock was set: what has a deadline is given up sooner. */
  readonly clockIsSet?: boolean;
}

/** An object that is there once more may have come and gone twice more for each time that something was given up: as it was before, and as it is to be. */
const livesOfGivingUp = 2;

/**
 * Where a history differs from the one without faults, in words.
 *
 * **Guarantees.** Where the operator has given nothing up, objects come and go exactly as often. Where a clock was set and something was given up, they come as often at most, and twice more for each
 * time that it was not given up without faults.
 */
export function compareLives(
  reference: LifeSummary,
  history: LifeSummary,
  { clockIsSet = false }: Leeway = {},
): readonly string[] {
  const differences: string[] = [];
  const none: LifeCounts = { created: 0, deleted: 0 };
  const isBound = clockIsSet && history.givenUp > 0;
  const more = isBound ? livesOfGivingUp * Math.max(0, history.givenUp - reference.givenUp) : 0;
  for (const key of [...new Set([...reference.objects.keys(), ...history.objects.keys()])].sort()) {
    const [expected, actual] = [reference.objects.get(key) ?? none, history.objects.get(key) ?? none];
    if (expected.created === actual.created && expected.deleted === actual.deleted) continue;
    if (isBound && actual.created <= expected.created + more && actual.deleted <= expected.deleted + more) continue;
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
