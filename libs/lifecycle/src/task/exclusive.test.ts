import type { Job, Pod } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { describeAction } from '../decision/index.ts';
import { endObsolete, exclusiveAtWork, inTurn } from './index.ts';
import type { SeenJobs, TaskStep } from './index.ts';

const now = 1_000_000;
const purposeLabel = 'example.com/purpose';

/** What the two have in common, as far as these tests go. */
const metadataOf = (name: string, purpose: string, owner?: string) => ({
  ...{ name, namespace: 'shop', uid: name, resourceVersion: '1', labels: { [purposeLabel]: purpose } },
  ...(owner === undefined ? {} : { ownerReferences: [{ kind: 'Job', name: owner, uid: owner, controller: true }] }),
});
const jobOf = (name: string, purpose: string, ended = false): Job =>
  ({
    metadata: metadataOf(name, purpose),
    status: ended ? { conditions: [{ type: 'Complete', status: 'True' }] } : {},
  }) as unknown as Job; // As far as these tests go.
const podOf = (name: string, purpose: string, owner?: string): Pod =>
  ({ metadata: metadataOf(name, purpose, owner), status: { phase: 'Running' } }) as unknown as Pod; // The same.
const seenWith = (jobs: readonly Job[], pods: readonly Pod[] = []): SeenJobs => ({
  ...{ jobs, pods, purposeLabel },
  isExclusive: (purpose) => purpose === 'migrate',
});
const stepOf = (purpose: string, begins = true): TaskStep => ({
  state: 'Running',
  record: { purpose, subject: '2', job: 'second' },
  actions: begins ? [{ kind: 'create', because: 'it is due' } as unknown as TaskStep['actions'][number]] : [],
});

describe('a Job that writes', () => {
  test.each<[string, SeenJobs]>([
    ['another Job', seenWith([jobOf('first', 'migrate')])],
    ['the pod of one that was deleted without it', seenWith([], [podOf('first', 'migrate')])],
  ])('does not begin beside %s of its purpose', (_what, seen) => {
    const step = inTurn(seen, stepOf('migrate'), now);
    expect(step).toMatchObject({ state: 'Running', actions: [], blockedBy: 'waiting until first has ended' });
    expect(inTurn(seen, { ...step, state: 'Succeeded' }, now).state).toBe('Running');
    expect(exclusiveAtWork(seen, now)).toHaveLength(1);
  });

  test.each<[string, SeenJobs, TaskStep]>([
    ['begins beside one that has ended', seenWith([jobOf('first', 'migrate', true)]), stepOf('migrate')],
    ['begins beside one of another purpose', seenWith([jobOf('first', 'restore')]), stepOf('migrate')],
    ['goes on that has begun', seenWith([jobOf('first', 'migrate')]), stepOf('migrate', false)],
    ['is not in the way of one that only looks', seenWith([jobOf('first', 'migrate')]), stepOf('look')],
  ])('%s', (_when, seen, step) => {
    expect(inTurn(seen, step, now)).toBe(step);
  });

  test('is ended when nothing waits for it, and so is a pod that its Job has left', () => {
    const jobs = [
      jobOf('first', 'migrate'),
      jobOf('second', 'migrate'),
      jobOf('over', 'migrate', true),
      jobOf('l', 'look'),
    ];
    const seen = seenWith(jobs, [podOf('pod', 'migrate'), podOf('other', 'migrate', 'second')]);
    const actions = endObsolete(seen, ({ metadata }) => metadata.name === 'second', now);
    expect(actions.map(describeAction)).toEqual([
      expect.stringContaining('Job shop/first'),
      expect.stringContaining('Pod shop/pod'),
    ]);
  });
});
