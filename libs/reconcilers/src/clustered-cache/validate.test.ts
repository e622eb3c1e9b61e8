import { describe, expect, test } from 'vitest';
import { clusteredCacheWebhook } from './webhook.ts';
import { validateClusteredCache } from './validate.ts';
import { created, cacheOf } from '../../test/clustered-cache/seen.ts';

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
      'a deadline that no date holds',
      { upgrade: { progressDeadline: '9999999999h' } },
      'spec.upgrade.progressDeadline',
    ],
    [
      'a question that takes longer than a year',
      { port: 1, upgrade: { gates: [{ name: 'a', http: { path: '/' }, timeout: '8761h' }] } },
      'spec.upgrade.gates[0].timeout',
    ],
    [
      'a Job before the first member that may take no time',
      { upgrade: { beforeFirstPod: { command: ['a'], deadline: '0s' } } },
      'spec.upgrade.beforeFirstPod.deadline',
    ],
    [
      'a bake time of more than a year',
      { upgrade: { canary: { replicas: 1, bake: '8761h' } } },
      'spec.upgrade.canary.bake',
    ],
    [
      'more canaries than members',
      { upgrade: { canary: { replicas: 4, bake: '0s' } } },
      'spec.upgrade.canary.replicas',
    ],
    [
      'an analysis by HTTP without any port',
      { upgrade: { canary: { replicas: 1, bake: '0s', analysis: { http: { path: '/' } } } } },
      'spec.upgrade.canary.analysis.http.port',
    ],
    [
      'an analysis by a Job that takes longer than a year',
      { upgrade: { canary: { replicas: 1, bake: '0s', analysis: { job: { command: ['a'], deadline: '8761h' } } } } },
      'spec.upgrade.canary.analysis.job.deadline',
    ],
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
    expect(clusteredCacheWebhook.admit({ object: bad, oldObject: null })).toMatchObject({ allowed: false, code: 422 });
    expect(clusteredCacheWebhook.admit({ object: bad, oldObject: bad })).toEqual({ allowed: true });
    const dying = { ...bad, metadata: { ...bad.metadata, deletionTimestamp: created } };
    expect(clusteredCacheWebhook.admit({ object: dying, oldObject: bad })).toEqual({ allowed: true });
    expect(clusteredCacheWebhook.admit({ object: dying, oldObject: cacheOf() })).toMatchObject({
      allowed: false,
      code: 422,
    });
  });

  test('warns of a hand-off that a preStop hook can’t make', () => {
    const cache = cacheOf({ port: 1, upgrade: { handoff: { http: { path: '/', method: 'POST' } } } });
    expect(clusteredCacheWebhook.admit({ object: cache, oldObject: null })).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('POST')],
    });
  });
});
