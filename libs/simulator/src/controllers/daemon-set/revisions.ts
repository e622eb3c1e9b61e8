import { isApiError, controllerReference } from '@ordinal/client';
import type { ControllerRevision } from 'kubernetes-types/apps/v1.js';
import type { Pod } from 'kubernetes-types/core/v1.js';
import { claimed } from '../claim.ts';
import type { ControllerContext } from '../controller.ts';
import { goJson, hashText } from '../hash.ts';
import { kinds } from '../kinds.ts';
import type { Live, LivePod } from '../kinds.ts';
import { selectedBy } from '../selector.ts';
import type { LiveDaemonSet } from './pods.ts';
import { revisionLabel } from './pods.ts';

type Revision = Live<ControllerRevision>;

/** The revision of a set's present template, and the others, oldest first. */
export interface History {
  readonly hash: string;
  readonly old: readonly Revision[];
}

/** The set's revisions: orphans that fit are adopted, and one for the present template is made where there is none. */
export function historyOf(set: LiveDaemonSet, pods: readonly LivePod[], context: ControllerContext): History {
  const { store } = context;
  const kind = kinds.controllerRevision;
  const all = store.list<ControllerRevision>(kind, set.metadata.namespace);
  const own = claimed<ControllerRevision>(all, { kind, owner: set, fits: selectedBy(set.spec?.selector) }, store)
    .map((revision) => labelled(revision, context))
    .sort((left, right) => left.revision - right.revision);
  const text = goJson({ spec: { template: { ...set.spec?.template, $patch: 'replace' } } });
  const isPresent = (revision: Revision): boolean => goJson(revision.data) === text;
  const old = own.filter((revision) => !isPresent(revision));
  const next = (old.at(-1)?.revision ?? 0) + 1;
  const present = own.filter(isPresent);
  const current = present.at(-1) ?? create(set, { text, revision: next }, context);
  const hash = current.metadata.labels?.[revisionLabel] ?? '';
  if (present.length > 1) merge(present.slice(0, -1), { pods, hash }, context);
  if (current.revision < next) store.update<ControllerRevision>(kind, { ...current, revision: next });
  return { hash, old };
}

function labelled(revision: Revision, { store }: ControllerContext): Revision {
  const { labels, name } = revision.metadata;
  if (labels?.[revisionLabel] !== undefined) return revision;
  const metadata = { ...revision.metadata, labels: { ...labels, [revisionLabel]: name } };
  return store.update<ControllerRevision>(kinds.controllerRevision, { ...revision, metadata });
}

/** Of several revisions of the same template the newest stays, and the pods become its own. */
function merge(
  others: readonly Revision[],
  { pods, hash }: { readonly pods: readonly LivePod[]; readonly hash: string },
  { store }: ControllerContext,
): void {
  for (const pod of pods) {
    if (pod.metadata.labels?.[revisionLabel] === hash) continue;
    const metadata = { ...pod.metadata, labels: { ...pod.metadata.labels, [revisionLabel]: hash } };
    store.update<Pod>(kinds.pod, { ...pod, metadata });
  }
  for (const revision of others) store.delete(kinds.controllerRevision, revision);
}

interface NewRevision {
  readonly text: string;
  readonly revision: number;
}

function create(set: LiveDaemonSet, { text, revision }: NewRevision, { store }: ControllerContext): Revision {
  const { name: owner, namespace = '', annotations } = set.metadata;
  for (let collisions = set.status?.collisionCount ?? 0; ; collisions += 1) {
    const hash = hashText(`${text}${collisions}`);
    const name = `${owner}-${hash}`;
    try {
      return store.create<ControllerRevision>(kinds.controllerRevision, {
        metadata: {
          name,
          namespace,
          labels: { ...set.spec?.template.metadata?.labels, [revisionLabel]: hash },
          ...(annotations && { annotations }),
          ownerReferences: [controllerReference(set)],
        },
        // The type of a raw extension is empty; the patch is what belongs there. Clients compare its bytes: its keys are in Go's order.
        data: JSON.parse(text) as NonNullable<ControllerRevision['data']>,
        revision,
      });
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
      const existing = store.find<ControllerRevision>(kinds.controllerRevision, namespace, name);
      if (existing !== undefined && goJson(existing.data) === text) return existing;
    }
  }
}

/** Deletes the oldest revisions that no pod has, beyond the number that the set keeps. */
export function truncateHistory(
  set: LiveDaemonSet,
  old: readonly Revision[],
  pods: readonly LivePod[],
  { store }: ControllerContext,
): void {
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[revisionLabel]));
  const surplus = old.length - (set.spec?.revisionHistoryLimit ?? 10);
  if (surplus <= 0) return;
  const unused = old.filter(({ metadata }) => !live.has(metadata.labels?.[revisionLabel]));
  for (const revision of unused.slice(0, surplus)) store.delete(kinds.controllerRevision, revision);
}
