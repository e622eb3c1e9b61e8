import type { ClusteredCache } from '@ordinal/api';
import { clusteredCaches } from '@ordinal/api';
import type { ObjectKey, Pod } from '@ordinal/client';
import { cacheSelector, selectorText, takenOverByLabel } from '@ordinal/constructs';
import type { CacheNamed } from '@ordinal/constructs';
import { SealedJobs, SealedStatuses, protect } from '@ordinal/lifecycle';
import type { DisruptionView, MemberProtection, Seals } from '@ordinal/lifecycle';
import type { CacheReader } from '@ordinal/runtime';
import { jobMarks, reservationAnnotation } from '../annotations.ts';
import { disruptionViewOf } from '../upgrade/disruption.ts';
import { membersOf } from './members.ts';
import { checksOf } from './member-checks.ts';
import { cacheMemory } from './memory.ts';
import type { CacheObservation } from './observe.ts';
import { observeAround } from './observe.ts';
import type { Inputs } from './rollout-observation.ts';
import { observeRollout } from './rollout-observation.ts';
import { toBuild, wantedTemplate } from './template.ts';

/** Protects the members of caches from deletions and evictions. */
export function protectCaches({
  reader,
  seals,
}: {
  readonly reader: CacheReader;
  readonly seals: Seals;
}): MemberProtection {
  const sealedJobs = new SealedJobs(clusteredCaches, seals, jobMarks);
  return protect<ClusteredCache>({
    descriptor: clusteredCaches,
    reader,
    statuses: new SealedStatuses(cacheMemory, seals),
    reservationAnnotation,
    ownerOf: cacheOf,
    isMarked: (pod) => markedFor(pod) !== undefined,
    isMember: ({ metadata }, cache) => isSelected(metadata.labels, toBuild(cache)),
    memberSelector: (cache) => selectorText(cacheSelector(toBuild(cache))),
    observe(cache, { set, pods, reserved }) {
      const own = sealedJobs.of(cache);
      const around = observeAround(cache, reader, { reserved, own });
      const seen = { ...around, children: { ...around.children, set }, pods };
      const view = (inputs: Inputs): DisruptionView | undefined => disruptionView(seen, inputs);
      return { pods, checks: checksOf(cache.spec), create: own.create, view };
    },
  });
}

/** What the gate decides about a cache's members from; undefined where the cache is being deleted. */
export function disruptionView(seen: CacheObservation, inputs: Inputs): DisruptionView | undefined {
  const { cache, children } = seen;
  if (cache.metadata.deletionTimestamp !== undefined) return undefined;
  const wanted = wantedTemplate(cache, children.set);
  return disruptionViewOf(membersOf(seen), observeRollout(seen, { ...inputs, wanted, childrenPending: false }));
}

/** All of the labels by which its StatefulSet selects it: with one of them missing it is no member. */
const isSelected = (labels: Pod['metadata']['labels'], cache: CacheNamed): boolean =>
  Object.entries(cacheSelector(cache)).every(([key, value]) => labels?.[key] === value);

/** The cache that a pod names by its labels. */
function markedFor({ metadata: { labels } }: Pod): string | undefined {
  const name = labels?.['app.kubernetes.io/instance'] ?? '';
  return name !== '' && isSelected(labels, { name }) ? name : undefined;
}

/** The cache to which a pod says it belongs. */
function cacheOf(pod: Pod): ObjectKey | undefined {
  const { namespace = '', labels } = pod.metadata;
  const name = markedFor(pod) ?? labels?.[takenOverByLabel];
  return name === undefined ? undefined : { namespace, name };
}
