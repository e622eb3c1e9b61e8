import type { ClusteredCache } from '@ordinal/api';
import { clusteredCaches } from '@ordinal/api';
import { controllerOf, withFindings } from '@ordinal/client';
import type { Finding, Instant, StatefulSet } from '@ordinal/client';
import { cacheClaim, cacheContainer, cachePodTemplate, hashIn, takenOverByLabel } from '@ordinal/constructs';
import type { Decision } from '@ordinal/lifecycle';
import { takeHold } from '@ordinal/lifecycle';
import { waitingFindings } from '../adoption/findings.ts';
import { isAdopted, markPods, unmarkedAmong } from '../adoption/marks.ts';
import { mismatchWith } from '../adoption/mismatch.ts';
import type { AdoptionObstacle } from '../adoption/obstacle.ts';
import { isConsentedTo, notFound, obstacleTo, wasTakenOver } from '../adoption/obstacle.ts';
import { takeOver, taken, takenEvent } from '../adoption/take-over.ts';
import { childActions } from './children.ts';
import { cacheNaming } from './names.ts';
import type { CacheObservation } from './observe.ts';
import { cacheHold } from './release.ts';
import { presentTemplate, toBuild, wantedTemplate } from './template.ts';

/**
 * Takes over the StatefulSet that `spec.adopt` names. Undefined where there is nothing to take over any more, or none is asked for.
 *
 * **Expected flow.** Nothing is written to it before a user has consented by an annotation with its UID. Then one write makes the cache its controller, has it replace no pod by itself
 * (`OnDelete`), and gives the operator the fields that others have set. Its pods, claims and Service keep their UIDs. Its template counts as what the spec asks for until the spec
 * changes: that is an upgrade, with its gates and its way back.
 *
 * **Guarantees.** A crash before or after the write leaves the workload as it is. A StatefulSet that has a controller is left alone.
 */
export function decideAdoption(seen: CacheObservation, now: Instant): Decision | 'confirm' | undefined {
  const { cache, children, isConfirmed } = seen;
  const { adopt } = cache.spec;
  const { set } = children;
  if (!adopt) return undefined;
  if (!set) {
    // One that was taken over, and is lost, is made again.
    if (wasTakenOver(cache.status?.conditions)) return undefined;
    return waiting(cache, notFound(adopt.statefulSet), now);
  }
  if (set.metadata.deletionTimestamp !== undefined) return undefined;
  if (controllerOf(set)?.uid === cache.metadata.uid) return mark(seen, set, now);
  if (controllerOf(set) !== undefined) return undefined;
  const adopting = { object: cache, ...cacheNaming, set, mismatch: mismatch(cache, set) };
  // Another one by the name of what was taken over is a name that is taken. What has lost its owner alone is the cache's.
  const isAgain = wasTakenOver(cache.status?.conditions);
  if (isAgain && !isConsentedTo(adopting)) return undefined;
  const obstacle = isAgain ? undefined : obstacleTo(adopting);
  if (obstacle) return waiting(cache, obstacle, now);
  // The fields of others are not in the caches.
  return isConfirmed ? takenBy(cache, set, now) : 'confirm';
}

/** How soon the operator looks again, in milliseconds: a StatefulSet of another owner wakes no cache. */
const lookAgainMs = 15_000;

const waiting = (cache: ClusteredCache, obstacle: AdoptionObstacle, now: Instant): Decision => ({
  actions: [],
  status: statusOf(cache, obstacle, now),
  lookAgainAt: now + lookAgainMs,
});

/** In what the StatefulSet differs from what the spec says of it; undefined where in nothing. */
const mismatch = ({ spec }: ClusteredCache, set: StatefulSet): string | undefined =>
  mismatchWith(
    {
      ...{ serviceName: spec.adopt?.serviceName, selector: spec.adopt?.selector, replicas: spec.replicas },
      ...{ container: cacheContainer(spec), image: spec.image },
      ...{ claim: cacheClaim(spec), hasStorage: spec.storage !== undefined },
    },
    set,
  );

function takenBy(cache: ClusteredCache, set: StatefulSet, now: Instant): Decision {
  const { status, spec } = cache;
  // What its members run is known of one that was taken over before.
  const ran = { currentVersion: spec.image, currentRevision: hashIn(cachePodTemplate(toBuild(cache))) };
  const onDelete = { updateStrategy: { type: 'OnDelete', rollingUpdate: null } };
  return {
    actions: [...takeHold(cache, cacheHold), takeOver(cache, set, { now, spec: onDelete })],
    status: statusOf(cache, taken(set), now, wasTakenOver(status?.conditions) ? {} : ran),
    events: [takenEvent(set)],
  };
}

function statusOf(
  cache: ClusteredCache,
  said: AdoptionObstacle | ReturnType<typeof taken>,
  now: Instant,
  ran: Pick<NonNullable<ClusteredCache['status']>, 'currentVersion' | 'currentRevision'> = {},
): NonNullable<Decision['status']> {
  const { status, metadata } = cache;
  const findings: readonly Finding[] =
    said.reason === 'TakenOver' ? [{ type: 'Adopted', status: 'True', ...said }] : waitingFindings(said);
  const conditions = withFindings(status?.conditions, findings, { now, generation: metadata.generation });
  const observed = metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
  return { descriptor: clusteredCaches, object: cache, status: { ...status, ...ran, ...observed, conditions } };
}

/**
 * What its pods run, as the operator says it: first in the template, then, when the StatefulSet's controller has a revision of that, on the pods that it made before. Undefined where all say it, and
 * during an upgrade, whose deadline counts.
 */
function mark(seen: CacheObservation, set: StatefulSet, now: Instant): Decision | undefined {
  const { cache, pods: present } = seen;
  const status = statusOf(cache, taken(set), now);
  const marked = presentTemplate(cache, set);
  if (marked && isAdopted(marked) && !isAdopted(set.spec.template)) {
    const wanted = { ...wantedTemplate(cache, set), made: marked, previous: undefined };
    return { actions: childActions(seen, wanted, set.spec.replicas ?? 1), status };
  }
  const unmarked = unmarkedAmong(present, set);
  if (!isAdopted(set.spec.template) || unmarked.length === 0 || cache.status?.upgrade) return undefined;
  return { actions: markPods(unmarked, set, { [takenOverByLabel]: cache.metadata.name }) ?? [], status };
}
