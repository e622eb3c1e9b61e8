import type { ClusteredCache } from '@ordinal/api';
import type { Job, Pod, StatefulSet } from '@ordinal/client';
import { cachePodTemplate, hashOf, synthesizeClusteredCache, templateHashAnnotation } from '@ordinal/constructs';
import { describe, expect, test } from 'vitest';
import { describeAction } from '../decision/index.ts';
import type { RolloutAnswer } from '../rollout/index.ts';
import { preTerminateHook } from '../rollout/index.ts';
import { admitClusteredCache } from './admission.ts';
import { decideClusteredCache } from './decide.ts';
import { decideDisruption } from './disruption.ts';
import { clusteredCacheMetrics } from './metrics.ts';
import { appliedHashAnnotation, releaseMembers } from './names.ts';
import type { CacheObservation } from './observe.ts';
import type { Moment } from './rollout-observation.ts';
import { toBuild } from './template.ts';
import { validateClusteredCache } from './validate.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const created = '2026-01-01T00:00:00Z';

const cacheOf = (spec: object = {}, change: { metadata?: object; status?: object } = {}): ClusteredCache =>
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
function childrenOf(cache: ClusteredCache): CacheObservation['children'] {
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

const podOf = (ordinal: number, cache: ClusteredCache, change: { metadata?: object; ready?: boolean } = {}): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `sessions-${ordinal}`,
      namespace: 'shop',
      uid: `pod-${ordinal}`,
      resourceVersion: '1',
      creationTimestamp: created,
      labels: { 'app.kubernetes.io/name': 'clustered-cache', 'app.kubernetes.io/instance': 'sessions' },
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
function seenOf(
  cache: ClusteredCache,
  before: ClusteredCache = cache,
  change: Partial<CacheObservation> = {},
): CacheObservation {
  return {
    cache,
    children: childrenOf(before),
    pods: [0, 1, 2].map((ordinal) => podOf(ordinal, before)),
    jobs: [],
    ...change,
  };
}

const answering = (answer: RolloutAnswer | undefined) => ({
  now,
  answers: { get: () => answer } as unknown as ReadonlyMap<string, RolloutAnswer>, // The one method that is called.
});
const silent = { now, answers: new Map<string, RolloutAnswer>() };

function decided(seen: CacheObservation, moment: Moment = silent) {
  const verdict = decideClusteredCache(seen, moment);
  if (!('decision' in verdict)) throw new Error(`asks ${verdict.ask.length} questions`);
  const { actions, status, events = [], lookAgainAt } = verdict.decision;
  return {
    actions: actions.map(describeAction),
    status: status?.status as ClusteredCache['status'],
    events: events.map(({ reason }) => reason),
    lookAgainAt,
  };
}

const conditionText = (status: ClusteredCache['status'], type: string): string => {
  const found = status?.conditions?.find((condition) => condition.type === type);
  return `${found?.status} ${found?.reason}`;
};

describe('the cycle', () => {
  test('begins with the finalizer and the children', () => {
    const cache = cacheOf({ port: 1 }, { metadata: { finalizers: [] } });
    const nothing = { set: undefined, membersService: undefined, clientService: undefined, budget: undefined };
    expect(decided({ cache, children: nothing, pods: [], jobs: [] }).actions).toEqual([
      `add finalizer ${releaseMembers} to ClusteredCache shop/sessions`,
      'apply Service shop/sessions',
      'apply Service shop/sessions-client',
      'apply PodDisruptionBudget shop/sessions',
      'apply StatefulSet shop/sessions',
    ]);
  });

  test('does nothing when all is as wanted, and says so', () => {
    const { actions, status, lookAgainAt } = decided(seenOf(cacheOf()));
    expect(actions).toEqual([]);
    expect(lookAgainAt).toBeUndefined();
    expect(status).toMatchObject({ currentVersion: 'cache:1', readyReplicas: 3, updatedReplicas: 3 });
    expect(
      ['Available', 'Ready', 'Progressing', 'Degraded', 'Upgrading'].map((type) => conditionText(status, type)),
    ).toEqual([
      'True AllMembersReady',
      'True AllMembersReady',
      'False Settled',
      'False AsWanted',
      'False NotUpgrading',
    ]);
  });

  test('lets a deletion come first, whatever is wrong with the object (S0.25)', () => {
    const cache = cacheOf({ image: 'not an image' }, { metadata: { deletionTimestamp: created } });
    const held = podOf(2, cache, { metadata: { finalizers: [preTerminateHook] } });
    expect(decided(seenOf(cache, cacheOf(), { pods: [held] })).actions).toEqual([
      `remove finalizer ${preTerminateHook} from Pod shop/sessions-2`,
      `remove finalizer ${releaseMembers} from ClusteredCache shop/sessions`,
    ]);
  });

  test('adds no finalizer to an object that is being deleted (I25)', () => {
    const cache = cacheOf({}, { metadata: { deletionTimestamp: created, finalizers: ['another'] } });
    expect(decided(seenOf(cache)).actions).toEqual([]);
  });

  test('touches nothing of an invalid object but pods that have ended', () => {
    const cache = cacheOf({ image: 'not an image', replicas: 9 });
    const gone = podOf(2, cache, { metadata: { finalizers: [preTerminateHook], deletionTimestamp: created } });
    const { actions, status, events, lookAgainAt } = decided(seenOf(cache, cacheOf(), { pods: [gone] }));
    expect(actions).toEqual([`remove finalizer ${preTerminateHook} from Pod shop/sessions-2`]);
    expect(status?.processingError).toMatchObject({
      reason: 'InvalidSpec',
      message: 'spec.image: an image has no white space',
    });
    expect(events).toEqual(['ProcessingError']);
    expect(lookAgainAt).toBeUndefined();
  });

  test('does nothing while it is paused', () => {
    const cache = cacheOf({ image: 'cache:2' }, { metadata: { annotations: { 'ordinal.dev/paused': 'true' } } });
    const { actions, status } = decided(seenOf(cache, cacheOf()));
    expect(actions).toEqual([]);
    expect(conditionText(status, 'Progressing')).toBe('False Paused');
  });

  test('lets a deletion come before a pause', () => {
    const annotations = { 'ordinal.dev/paused': 'true' };
    const cache = cacheOf({}, { metadata: { annotations, deletionTimestamp: created } });
    expect(decided(seenOf(cache)).actions).toEqual([
      `remove finalizer ${releaseMembers} from ClusteredCache shop/sessions`,
    ]);
  });

  test('leaves alone what belongs to somebody else (I13)', () => {
    const cache = cacheOf();
    const children = childrenOf(cache);
    const set = {
      ...children.set,
      metadata: { ...children.set!.metadata, ownerReferences: [] },
    } as unknown as StatefulSet; // Only its owner differs.
    const { actions, status } = decided(seenOf(cache, cache, { children: { ...children, set } }));
    expect(actions).toEqual([]);
    expect(status?.processingError?.reason).toBe('NameTaken');
  });

  test('puts back what has drifted, and deletes what is wanted no more', () => {
    const cache = cacheOf();
    const before = cacheOf({ port: 1 });
    expect(decided(seenOf(cache, before), answering({ ok: true, message: '' })).actions).toEqual([
      'apply Service shop/sessions',
      'apply StatefulSet shop/sessions',
      'delete Service shop/sessions-client',
    ]);
  });
});

describe('an upgrade', () => {
  const status = { currentVersion: 'cache:1', currentRevision: childRevision(cacheOf()) };
  const wanted = cacheOf({ image: 'cache:2' }, { status });

  test('first changes the StatefulSet, keeping the template that ran, and records its start', () => {
    const { actions, status: shown, events } = decided(seenOf(wanted, cacheOf()));
    expect(actions).toEqual(['apply StatefulSet shop/sessions']);
    expect(shown).toMatchObject({
      currentVersion: 'cache:1',
      targetVersion: 'cache:2',
      updatedReplicas: 0,
      upgrade: { step: 'Starting', startedAt: '2026-01-01T01:00:00Z', deadline: '2026-01-01T01:15:00Z' },
    });
    expect(conditionText(shown, 'Available')).toBe('True Upgrading');
    expect(events).toEqual(['UpgradeStarted']);
    const verdict = decideClusteredCache(seenOf(wanted, cacheOf()), silent);
    const [apply] = 'decision' in verdict ? verdict.decision.actions : [];
    expect(apply).toMatchObject({
      object: {
        metadata: {
          uid: 'StatefulSet',
          annotations: { 'ordinal.dev/previous-template': expect.stringContaining('cache:1') },
        },
      },
    });
  });

  test('replaces no member when only claims or replicas differ (I29)', () => {
    const grown = cacheOf({ replicas: 4, podDisruptionBudget: { maxUnavailable: 2 } }, { status });
    expect(decided(seenOf(grown, cacheOf())).status?.upgrade).toBeUndefined();
  });

  test('that began in the future, because the clock was set back, has its deadline from now on', () => {
    const upgrade = { revision: childRevision(wanted), startedAt: '2026-01-01T02:00:00Z', step: 'Starting' };
    const before = cacheOf({ image: 'cache:2' }, { status: { ...status, upgrade } });
    expect(decided(seenOf(before, cacheOf())).status?.upgrade).toMatchObject({
      startedAt: '2026-01-01T01:00:00Z',
      deadline: '2026-01-01T01:15:00Z',
    });
  });

  test.each([
    ['2026-01-01T02:00:00Z', ['annotate ClusteredCache shop/sessions']],
    ['2026-01-01T01:00:30Z', []],
  ])('waits for a member that was let go until %s no longer than any now could', (until, expected) => {
    const metadata = { annotations: { 'cache.my.domain/let-go': `pod-1 ${until}` } };
    expect(decided(seenOf(cacheOf({}, { metadata }))).actions.map((text) => text.replace(/ with.*/, ''))).toEqual(
      expected,
    );
  });

  test('that has failed is remembered, and not begun again', () => {
    const failing = {
      ...status,
      upgrade: {
        revision: childRevision(wanted),
        startedAt: created,
        step: 'AwaitingGate',
        since: created,
        pod: 'sessions-2',
        podUID: 'pod-2',
      },
    };
    const pods = [
      podOf(0, cacheOf()),
      podOf(1, cacheOf()),
      podOf(2, cacheOf(), { metadata: { finalizers: [preTerminateHook] } }),
    ];
    const first = decided(seenOf(cacheOf({ image: 'cache:2' }, { status: failing }), cacheOf(), { pods }));
    expect(first.status).toMatchObject({
      failedRevision: childRevision(wanted),
      currentVersion: 'cache:1',
      upgrade: { step: 'Failed' },
    });
    expect(conditionText(first.status, 'Available')).toBe('False UpgradeFailed');
    expect(first.events).toEqual(['UpgradeFailed']);
    const again = decided(seenOf(cacheOf({ image: 'cache:2' }, { status: first.status as object }), cacheOf()));
    expect(again.status?.upgrade).toMatchObject({
      step: 'Failed',
      message: expect.stringContaining('Timed out waiting for health checks on pod sessions-2'),
    });
    expect(again.events).toEqual([]);
  });
});

function childRevision(cache: ClusteredCache): string {
  return cachePodTemplate(toBuild(cache)).metadata?.annotations?.[templateHashAnnotation] ?? '';
}

describe('validation', () => {
  test.each<[string, object, string]>([
    ['an image with white space', { image: 'a b' }, 'spec.image'],
    ['LeaderLast without a role', { upgrade: { order: 'LeaderLast' } }, 'spec.upgrade.role'],
    [
      'a gate by HTTP without any port',
      { upgrade: { gates: [{ name: 'a', http: { path: '/' } }] } },
      'spec.upgrade.gates[0].http.port',
    ],
    [
      'a hand-off in a container that is not there',
      { upgrade: { handoff: { exec: { command: ['a'], container: 'b' } } } },
      'spec.upgrade.handoff.exec.container',
    ],
    [
      'a bound that is no number',
      { port: 1, upgrade: { sync: { metric: { name: 'a', max: 'b' } } } },
      'spec.upgrade.sync.metric.max',
    ],
    ['a deadline of nothing', { upgrade: { progressDeadline: '0s' } }, 'spec.upgrade.progressDeadline'],
    [
      'pods that are not restarted',
      { podTemplate: { spec: { restartPolicy: 'Never' } } },
      'spec.podTemplate.spec.restartPolicy',
    ],
    [
      'an image in two places',
      { podTemplate: { spec: { containers: [{ name: 'cache', image: 'b' }] } } },
      'spec.podTemplate.spec.containers[0].image',
    ],
    [
      'a sidecar without an image',
      { podTemplate: { spec: { containers: [{ name: 'b' }] } } },
      'spec.podTemplate.spec.containers[0].image',
    ],
  ])('finds %s', (_what, spec, path) => {
    expect(validateClusteredCache(cacheOf(spec)).map((violation) => violation.path)).toEqual([path]);
  });

  test('lets storage neither come nor go nor change', () => {
    expect(
      validateClusteredCache(cacheOf({ storage: { size: '2Gi' } }), cacheOf({ storage: { size: '1Gi' } })),
    ).toHaveLength(1);
  });

  test('of the webhook is that of the reconciler, and lets finalizers of an invalid object go', () => {
    const bad = cacheOf({ image: 'a b' });
    expect(admitClusteredCache({ object: bad, oldObject: null })).toMatchObject({ allowed: false, code: 422 });
    expect(admitClusteredCache({ object: bad, oldObject: bad })).toEqual({ allowed: true });
    expect(
      admitClusteredCache({
        object: { ...bad, metadata: { ...bad.metadata, deletionTimestamp: created } },
        oldObject: cacheOf(),
      }),
    ).toEqual({ allowed: true });
  });

  test('warns of a hand-off that a preStop hook can’t make', () => {
    const cache = cacheOf({ port: 1, upgrade: { handoff: { http: { path: '/', method: 'POST' } } } });
    expect(admitClusteredCache({ object: cache, oldObject: null })).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('POST')],
    });
  });
});

describe('the gate for drains and deletes by hand', () => {
  const cache = cacheOf({ port: 1 });
  const pod = podOf(1, cache);
  const asks = (change: Partial<Parameters<typeof decideDisruption>[1]> = {}) => ({
    pod,
    requester: 'kubernetes-admin',
    operator: 'ordinal',
    ...change,
  });
  const closed = answering({ ok: false, message: 'HTTP 503' });

  test('asks what an upgrade would ask', () => {
    expect(decideDisruption(seenOf(cache), asks(), silent)).toMatchObject({
      ask: [{ of: { name: 'sessions-0' } }, { of: { name: 'sessions-2' } }],
    });
  });

  test('is closed while the gates are, and open when they are', () => {
    expect(decideDisruption(seenOf(cache), asks(), closed)).toMatchObject({
      may: false,
      because: 'gate ready-for-shutdown: sessions-0: HTTP 503',
    });
    expect(decideDisruption(seenOf(cache), asks(), answering({ ok: true, message: '' }))).toMatchObject({
      may: true,
      serving: true,
    });
  });

  test('is closed while another member is down', () => {
    const pods = [podOf(0, cache, { ready: false }), pod, podOf(2, cache)];
    expect(decideDisruption(seenOf(cache, cache, { pods }), asks(), closed)).toEqual({
      may: false,
      because: 'its peer sessions-0 is not ready',
    });
    expect(decideDisruption(seenOf(cache, cache, { pods: pods.slice(1) }), asks(), closed)).toEqual({
      may: false,
      because: 'its peer sessions-0 is not ready',
    });
  });

  test.each<[string, CacheObservation | undefined, ReturnType<typeof asks>]>([
    ['terminates already', seenOf(cache), asks({ pod: podOf(1, cache, { metadata: { deletionTimestamp: created } }) })],
    ['is deleted by the operator', seenOf(cache), asks({ requester: 'ordinal' })],
    [
      'is collected with its owner',
      seenOf(cache),
      asks({ requester: 'system:serviceaccount:kube-system:generic-garbage-collector' }),
    ],
    ['has lost its cache', undefined, asks()],
    [
      'belongs to a cache that is being deleted',
      seenOf(cacheOf({ port: 1 }, { metadata: { deletionTimestamp: created } }), cache),
      asks(),
    ],
    [
      'does not serve',
      seenOf(cache, cache, { pods: [podOf(0, cache), podOf(1, cache, { ready: false }), podOf(2, cache)] }),
      asks(),
    ],
    ['is wanted no more', seenOf(cacheOf({ port: 1, replicas: 1 }), cache), asks()],
    [
      'was opened by hand',
      seenOf(cacheOf({ port: 1 }, { metadata: { annotations: { 'cache.my.domain/open-gates': 'pod-1' } } }), cache),
      asks(),
    ],
  ])('lets a pod through that %s', (_what, seen, disruption) => {
    expect(decideDisruption(seen, disruption, closed)).toMatchObject({ may: true });
  });
});

describe('a gate that is a Job', () => {
  const gated = {
    upgrade: {
      gates: [
        {
          name: 'check',
          target: 'Peers',
          job: { template: { template: { spec: { containers: [{ name: 'c', image: 'check:1' }] } } } },
        },
      ],
    },
  };
  const status = { currentVersion: 'cache:1', currentRevision: childRevision(cacheOf(gated)) };
  const wanted = cacheOf({ image: 'cache:2', ...gated }, { status });
  const held = (jobs: Job[] = []) => {
    const pods = [0, 1, 2].map((ordinal) =>
      podOf(ordinal, cacheOf(gated), ordinal === 2 ? { metadata: { finalizers: [preTerminateHook] } } : {}),
    );
    // The StatefulSet has the new template already.
    const children = childrenOf(wanted);
    return seenOf(wanted, wanted, { pods, jobs, children });
  };

  test('is created once for the member, and told whom it is about', () => {
    const verdict = decideClusteredCache(held(), silent);
    const actions = 'decision' in verdict ? verdict.decision.actions : [];
    const create = actions.find(({ kind }) => kind === 'create');
    expect(create).toMatchObject({
      object: {
        kind: 'Job',
        metadata: { ownerReferences: [{ uid: 'cache' }] },
        spec: {
          backoffLimit: 0,
          activeDeadlineSeconds: 600,
          template: {
            spec: {
              restartPolicy: 'Never',
              containers: [
                {
                  env: expect.arrayContaining([
                    { name: 'ORDINAL_POD', value: 'sessions-2' },
                    { name: 'ORDINAL_PEERS', value: 'sessions-0,sessions-1' },
                  ]),
                },
              ],
            },
          },
        },
      },
    });
  });

  test('opens the gate when it has completed', () => {
    const verdict = decideClusteredCache(held(), silent);
    const created = ('decision' in verdict ? verdict.decision.actions : []).find((action) => action.kind === 'create');
    const done = {
      ...created?.object,
      status: { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-01-01T01:00:00Z' }] },
    } as unknown as Job; // As created, and done.
    expect(decided(held([done])).actions).toContain('delete Pod shop/sessions-2');
  });
});

test('metrics tell of a failed upgrade, and of how long one has been at its step', () => {
  const upgrade = {
    revision: 'r',
    startedAt: '2026-01-01T00:59:00Z',
    since: '2026-01-01T00:59:30Z',
    step: 'AwaitingGate',
  };
  const values = (status: object) =>
    Object.fromEntries(
      clusteredCacheMetrics([cacheOf({}, { status })], now).map(({ name, value }) => [
        name.replace('ordinal_clusteredcache_', ''),
        value,
      ]),
    );
  expect(values({ upgrade })).toEqual({
    upgrade_failed: 0,
    gate_bypassed: 0,
    processing_error: 0,
    upgrade_seconds: 60,
    upgrade_step_seconds: 30,
  });
  expect(values({ failedRevision: 'r', upgrade: { ...upgrade, step: 'Failed' } })).toEqual({
    upgrade_failed: 1,
    gate_bypassed: 0,
    processing_error: 0,
  });
});

describe('a member', () => {
  const [before, after] = [cacheOf(), cacheOf({ image: 'cache:2' })];

  test('is no pod of another StatefulSet of this name (I13)', () => {
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'sessions', uid: 'earlier', controller: true },
    ];
    const pods = [0, 1, 2].map((ordinal) => podOf(ordinal, before, { metadata: { ownerReferences } }));
    expect(decided(seenOf(before, before, { pods })).status?.replicas).toBe(0);
  });

  test('stays until the controller of the StatefulSet has seen the new template', () => {
    const children = childrenOf(after);
    const set = { ...children.set, metadata: { ...children.set?.metadata, generation: 2 } } as StatefulSet; // A newer one.
    const pods = [0, 1, 2].map((ordinal) => podOf(ordinal, before));
    expect(decided(seenOf(after, after, { children: { ...children, set }, pods })).actions).toEqual([]);
  });
});

test('the Job of a gate is made for the pod, and not for the next of its name (I13)', () => {
  const job = { template: { template: { spec: { containers: [{ name: 'check', image: 'check:1' }] } } } };
  const spec = { upgrade: { gates: [{ name: 'check', target: 'Self', job }] } };
  const [before, after] = [cacheOf(spec), cacheOf({ ...spec, image: 'cache:2' })];
  const jobFor = (uid: string): string[] => {
    const metadata = { uid, finalizers: [preTerminateHook] };
    const pods = [podOf(0, before), podOf(1, before), podOf(2, before, { metadata })];
    return decided(seenOf(after, before, { pods, children: childrenOf(after) })).actions;
  };
  expect(jobFor('one')[0]).toContain('create Job');
  expect(jobFor('one')).not.toEqual(jobFor('other'));
});
