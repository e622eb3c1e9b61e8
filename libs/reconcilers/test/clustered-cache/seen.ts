import type { ClusteredCache } from '@ordinal/api';
import type { Pod, StatefulSet } from '@ordinal/client';
import {
  cachePodTemplate,
  cacheSelector,
  hashOf,
  synthesizeClusteredCache,
  templateHashAnnotation,
} from '@ordinal/constructs';
import type { RolloutAnswer } from '@ordinal/lifecycle';
import { describeAction } from '@ordinal/lifecycle';
import { decideClusteredCache } from '../../src/clustered-cache/decide.ts';
import { appliedHashAnnotation, releaseMembers } from '../../src/clustered-cache/names.ts';
import type { CacheObservation } from '../../src/clustered-cache/observe.ts';
import type { Inputs } from '../../src/clustered-cache/rollout-observation.ts';
import { toBuild } from '../../src/clustered-cache/template.ts';

/** The time of all decisions. */
export const now = Date.parse('2026-01-01T01:00:00Z');
/** When all was created. */
export const created = '2026-01-01T00:00:00Z';

/** A cache of three members. */
export const cacheOf = (spec: object = {}, change: { metadata?: object; status?: object } = {}): ClusteredCache =>
  ({
    apiVersion: 'cache.my.domain/v1',
    kind: 'ClusteredCache',
    metadata: {
      name: 'sessions',
      namespace: 'shop',
      uid: 'cache',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: created,
      finalizers: [releaseMembers],
      ...change.metadata,
    },
    spec: { replicas: 3, image: 'cache:1', ...spec },
    ...(change.status ? { status: change.status } : {}),
  }) as ClusteredCache; // As the API server would default it, as far as the tests go.

/** The children as the operator has applied them, with the status of a StatefulSet whose controller has seen it. */
export function childrenOf(cache: ClusteredCache): CacheObservation['children'] {
  const manifests = synthesizeClusteredCache({
    ...toBuild(cache),
    now: { replicas: cache.spec.replicas, annotations: {} },
  }).map((manifest) => ({
    ...manifest,
    metadata: {
      ...manifest.metadata,
      uid: manifest.kind,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: created,
      annotations: { [appliedHashAnnotation]: hashOf(manifest) },
    },
  }));
  const find = (kind: string, name = 'sessions') =>
    manifests.find((one) => one.kind === kind && one.metadata.name === name);
  const set = { ...find('StatefulSet'), status: { observedGeneration: 1, replicas: 3 } } as unknown as StatefulSet; // Applied above.
  return {
    set,
    membersService: find('Service'),
    clientService: find('Service', 'sessions-client'),
    budget: find('PodDisruptionBudget'),
  } as CacheObservation['children'];
}

/** A member of it, ready by default. */
export const podOf = (
  ordinal: number,
  cache: ClusteredCache,
  change: { metadata?: object; ready?: boolean } = {},
): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `sessions-${ordinal}`,
      namespace: 'shop',
      uid: `pod-${ordinal}`,
      resourceVersion: '1',
      creationTimestamp: created,
      labels: cacheSelector({ name: 'sessions' }),
      annotations: {
        [templateHashAnnotation]: cachePodTemplate(toBuild(cache)).metadata?.annotations?.[templateHashAnnotation],
      },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'sessions', uid: 'StatefulSet', controller: true },
      ],
      ...change.metadata,
    },
    spec: { containers: [] },
    status: {
      phase: 'Running',
      podIP: `10.0.0.${ordinal}`,
      conditions: [{ type: 'Ready', status: change.ready === false ? 'False' : 'True', lastTransitionTime: created }],
    },
  }) as unknown as Pod; // All that is read of it.

/** A world in which what ran is `before`, and what is wanted is `cache`. */
export function seenOf(
  cache: ClusteredCache,
  before: ClusteredCache = cache,
  change: Partial<CacheObservation> = {},
): CacheObservation {
  return {
    cache,
    children: childrenOf(before),
    pods: [0, 1, 2].map((ordinal) => podOf(ordinal, before)),
    jobs: [],
    taskPods: [],
    outputs: new Map(),
    reserved: undefined,
    isConfirmed: true,
    isSizeSeen: true,
    ...change,
  };
}

/** A time at which every question has this answer. */
export const answering = (answer: RolloutAnswer | undefined) => ({
  now,
  answers: { get: () => answer } as unknown as ReadonlyMap<string, RolloutAnswer>, // The one method that is called.
});
/** A time at which nothing has been answered. */
export const silent = { now, answers: new Map<string, RolloutAnswer>() };

/** The decision in a few words. */
export function decided(seen: CacheObservation, inputs: Inputs = silent) {
  const verdict = decideClusteredCache(seen, inputs);
  if (!('decision' in verdict))
    throw new Error('ask' in verdict ? `asks ${verdict.ask.length} questions` : 'looks once more');
  const { actions, status, events = [], lookAgainAt } = verdict.decision;
  return {
    actions: actions.map(describeAction),
    status: status?.status as ClusteredCache['status'],
    events: events.map(({ reason }) => reason),
    lookAgainAt,
  };
}

/** A condition in a few words. */
export const conditionText = (status: ClusteredCache['status'], type: string): string => {
  const found = status?.conditions?.find((condition) => condition.type === type);
  return `${found?.status} ${found?.reason}`;
};

/** The revision that a cache asks for. */
export function childRevision(cache: ClusteredCache): string {
  return cachePodTemplate(toBuild(cache)).metadata?.annotations?.[templateHashAnnotation] ?? '';
}
