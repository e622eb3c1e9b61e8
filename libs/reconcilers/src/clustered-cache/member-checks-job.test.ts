import type { Job } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { preTerminateHook } from './names.ts';
import { decideClusteredCache } from './decide.ts';
import { cacheOf, childrenOf, podOf, seenOf, silent, decided, childRevision } from '../../test/clustered-cache/seen.ts';

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

  test('is created once for the member, and gets its name', () => {
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
