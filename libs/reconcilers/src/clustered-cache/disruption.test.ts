import { decideDisruption as decideFrom } from '@ordinal/lifecycle';
import type { Disruption, DisruptionVerdict } from '@ordinal/lifecycle';
import { describe, expect, test } from 'vitest';
import { disruptionView } from './disruption.ts';
import type { CacheObservation } from './observe.ts';
import type { Inputs } from './rollout-observation.ts';
import { created, cacheOf, childrenOf, podOf, seenOf, answering, silent } from '../../test/clustered-cache/seen.ts';

const decideDisruption = (seen: CacheObservation | undefined, asked: Disruption, inputs: Inputs): DisruptionVerdict =>
  decideFrom(seen && disruptionView(seen, inputs), asked, inputs.now);

describe('the gate for drains and deletes by hand', () => {
  const cache = cacheOf({ port: 1 });
  const pod = podOf(1, cache);
  const asks = (change: Partial<Disruption> = {}) => ({
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

  test('is closed while they are for one that is to leave for good: it holds data until its StatefulSet keeps it no more', () => {
    expect(decideDisruption(seenOf(cacheOf({ port: 1, replicas: 1 }), cache), asks(), closed)).toMatchObject({
      may: false,
      because: 'gate ready-for-shutdown: sessions-0: HTTP 503',
    });
  });

  // Found by using it: `kubectl scale statefulset` took two members at once.
  test('is closed for one of a reduction that waits, whatever size another client has given the StatefulSet', () => {
    const one = cacheOf({ port: 1, replicas: 1 }, { status: { shrinkingFrom: 3 } });
    const seen = seenOf(one, one);
    expect(seen.children.set?.spec.replicas).toBe(1);
    const theirs = { ...seen, pods: [0, 1, 2].map((ordinal) => podOf(ordinal, one)) };
    expect(decideDisruption(theirs, asks(), closed)).toMatchObject({
      may: false,
      because: 'gate ready-for-shutdown: sessions-0: HTTP 503',
    });
    const others = { ...theirs, pods: [podOf(0, one), podOf(1, one), podOf(2, one, { ready: false })] };
    expect(decideDisruption(others, asks(), answering({ ok: true, message: '' }))).toEqual({
      may: false,
      because: 'its peer sessions-2 is not ready',
    });
    const lower = cacheOf({ port: 1, replicas: 1 }, { status: { shrinkingFrom: 1 } });
    expect(decideDisruption({ ...theirs, cache: lower }, asks(), closed)).toMatchObject({ may: true });
  });

  test('is closed for one of a reduction that the operator has not looked at', () => {
    const one = cacheOf({ port: 1, replicas: 1 }, { metadata: { generation: 2 }, status: { observedGeneration: 1 } });
    const theirs = { ...seenOf(one, one), pods: [0, 1, 2].map((ordinal) => podOf(ordinal, one)) };
    expect(decideDisruption(theirs, asks(), closed)).toMatchObject({ may: false });
  });

  test.each<[string, object | undefined]>([
    ['is away', undefined],
    ['has not taken it up again', childrenOf(cache).set],
  ])(
    'is closed while its StatefulSet %s, unless the pod does not serve, or a user has opened its gates',
    (_what, set) => {
      const children = { ...childrenOf(cache), set } as CacheObservation['children']; // As it was made.
      const orphan = (change: Parameters<typeof podOf>[2] = {}) => podOf(1, cache, { ...change, metadata: { ownerReferences: [] } }); // prettier-ignore
      const opened = cacheOf({ port: 1 }, { metadata: { annotations: { 'ordinal.dev/open-gates': 'pod-1' } } });
      const decide = (one: ReturnType<typeof podOf>, of = cache) =>
        decideDisruption(seenOf(of, cache, { children, pods: [one] }), asks({ pod: one }), closed);
      expect(decide(orphan())).toMatchObject({ may: false });
      expect(decide(orphan({ ready: false }))).toMatchObject({ may: true });
      expect(decide(orphan(), opened)).toMatchObject({ may: true });
      const theirs = { apiVersion: 'v1', kind: 'ConfigMap', name: 'sessions', uid: 'other', controller: true };
      expect(decide(podOf(1, cache, { metadata: { ownerReferences: [theirs] } }))).toMatchObject({ may: true });
    },
  );

  test('is closed while the StatefulSet is away that the pod still names', () => {
    const away = seenOf(cache, cache, { children: { ...childrenOf(cache), set: undefined } });
    expect(decideDisruption(away, asks(), closed)).toMatchObject({ may: false });
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

  test('is closed while the reservation of another member stands, and open for that one', () => {
    const open = answering({ ok: true, message: '' });
    expect(decideDisruption(seenOf(cache, cache, { reserved: 'pod-2' }), asks(), open)).toEqual({
      may: false,
      because: 'the deletion of another member, sessions-2, has just been allowed',
    });
    expect(decideDisruption(seenOf(cache, cache, { reserved: 'pod-1' }), asks(), open)).toMatchObject({ may: true });
    expect(decideDisruption(seenOf(cache, cache, { reserved: 'gone' }), asks(), open)).toMatchObject({ may: true });
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
    ['is kept by its StatefulSet no more', seenOf(cacheOf({ port: 1, replicas: 1 }), cacheOf({ port: 1, replicas: 1 })), asks()], // prettier-ignore
    [
      'was opened by hand',
      seenOf(cacheOf({ port: 1 }, { metadata: { annotations: { 'ordinal.dev/open-gates': 'pod-1' } } }), cache),
      asks(),
    ],
  ])('lets a pod through that %s', (_what, seen, disruption) => {
    expect(decideDisruption(seen, disruption, closed)).toMatchObject({ may: true });
  });
});
