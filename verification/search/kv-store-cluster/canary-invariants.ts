import type { KVStoreCluster } from '@ordinal/api';
import type { Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { Memories } from '../../../libs/reconcilers/test/world/restored.ts';
import { kind, membersOf, ordinalOf, ownerOf } from './members.ts';

/** A judgement counts for a pod and what it runs: when an upgrade by canaries is said to be complete, each member that runs it has one. */
const everyMemberIsJudged: Invariant = {
  name: 'an upgrade by canaries is complete only when each of its pods was judged (S0.9)',
  afterChange: (cluster, change) => {
    if (change.kind !== kind || change.type !== 'MODIFIED') return undefined;
    const [now, before] = [change.object as KVStoreCluster, change.previous as KVStoreCluster | undefined];
    const revision = now.status?.currentRevision;
    if (!now.spec.canary?.analysis || now.spec.upgradeStrategy !== 'Canary') return undefined;
    if (before?.status?.currentRevision === undefined || before.status.currentRevision === revision) return undefined;
    // Another one has overtaken it, which begins with what all members run: where they had gone ahead, they do not wait (below).
    if (now.status?.upgrade && now.status.upgrade.toRevision !== revision) return undefined;
    const passed = before.status.upgrade?.analysed?.filter(({ result }) => result === 'Passed') ?? [];
    // The pods at this moment may be newer than those that the operator saw: each ordinal must have been judged as this revision.
    // What a user has added beyond the spec is about to be deleted.
    const wanted = membersOf(cluster, now.metadata.name).filter(
      ({ metadata: { name } }) => ordinalOf(name) < now.spec.replicas,
    );
    const unjudged = wanted.filter(
      ({ metadata }) => !passed.some((judgement) => judgement.pod === metadata.name && judgement.revision === revision),
    );
    return unjudged.length === 0
      ? undefined
      : `${unjudged.map(({ metadata }) => metadata.name).join(', ')} was never judged, and the upgrade counts as complete`;
  },
};

/** What the last pod of each name was made of: after a restore of etcd, of those that the older state has. */
const lastRevisions = new Memories(
  (cluster) => new Map(cluster.objects.list(pods).map((pod) => [pod.metadata.name, madeOf(pod)])),
);

const madeOf = ({ metadata: { uid, annotations } }: Pod) => ({ uid, revision: annotations?.[templateHashAnnotation] });

/** The hash of the template that the last pod of this name was made of. Undefined where there was none. */
export const lastRevisionOf = (cluster: TestCluster, pod: string): string | undefined =>
  lastRevisions.of(cluster).get(pod)?.revision;

/**
 * Notes what a new pod is made of, and says what the one of its name before it was made of. One that had gone ahead, and comes back as what the others run while the upgrade goes on, still has a
 * volume that has seen more: it stays noted as what it was.
 */
function revisionBefore(cluster: TestCluster, pod: Pod, store: KVStoreCluster | undefined): string | undefined {
  const last = lastRevisions.of(cluster);
  const before = last.get(pod.metadata.name);
  const { uid, revision } = madeOf(pod);
  const { currentRevision, upgrade } = store?.status ?? {};
  const isHeld = revision === currentRevision && upgrade !== undefined && upgrade.toRevision !== revision;
  last.set(pod.metadata.name, { uid, revision: isHeld ? (before?.revision ?? revision) : revision });
  return before?.uid === uid ? undefined : before?.revision;
}

/**
 * A canary goes first: a member gets a new revision only when all above it run it, serve, and were judged where an analysis is asked for. One that had gone ahead of what the others run does not
 * wait for that: held, it would come back as an older version than its volume has seen (I30), and that comes first.
 */
const canaryGoesFirst: Invariant = {
  name: 'no member follows a canary that was not judged (S0.3, S0.9)',
  afterChange: (cluster, change) => {
    lastRevisions.of(cluster);
    if (change.kind !== 'pods' || change.type !== 'ADDED') return undefined;
    const pod = change.object as Pod;
    const store = ownerOf(cluster, pod);
    const revision = pod.metadata.annotations?.[templateHashAnnotation];
    const before = revisionBefore(cluster, pod, store);
    if (before !== undefined && before !== store?.status?.currentRevision) return undefined;
    if (store?.spec.upgradeStrategy !== 'Canary' || store.status?.currentRevision === undefined) return undefined;
    if (revision === store.status.currentRevision) return undefined;
    const ordinal = ordinalOf(pod.metadata.name);
    for (let above = ordinal + 1; above < store.spec.replicas; above += 1) {
      const judged = store.status.upgrade?.analysed?.some(
        (judgement) =>
          judgement.pod === `${store.metadata.name}-${above}` &&
          judgement.revision === revision &&
          judgement.result === 'Passed',
      );
      if (store.spec.canary?.analysis && !judged)
        return `${pod.metadata.name} got ${revision ?? 'a revision'} before ${store.metadata.name}-${above} was judged`;
    }
    return undefined;
  },
};

/** What must hold of canaries in every history. */
export const canaryInvariants: readonly Invariant[] = [canaryGoesFirst, everyMemberIsJudged];
