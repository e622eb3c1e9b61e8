import { describe, expect, test } from 'vitest';
import { all, gates, member, no, now, seen, started, yes } from '../../test/rollout/seen.ts';
import type { CanaryPolicy, Member, TaskStep } from '../index.ts';
import { decideRollout } from '../index.ts';
import { byPartition, everyMember } from './index.ts';
import type { PartitionMove, PartitionObservation, PartitionedSet } from './index.ts';

const [a, b, c] = all();
const updated = { revision: 'new' };
const up = (ordinal: number, change: Partial<Member> = {}) => member(ordinal, { ...updated, ...change });

/** By default three members of the old revision, of which none is released, and a StatefulSet that has the new template. */
function observed(
  members: Member[],
  change: Partial<PartitionObservation> = {},
  ofSet: Partial<PartitionedSet> = {},
): PartitionObservation {
  const held = members.filter(({ revision }) => revision === 'old').length;
  const set: PartitionedSet = {
    ...{ name: 'cache', members, applied: 'new', held: 'old', partition: everyMember, heldReplicas: held },
    ...{ present: 3, replicas: 3, record: {}, ...ofSet },
  };
  const rest = { set, isTakenUp: true, readyReplicas: undefined, isShrinking: false } as const;
  return { ...seen(members), finalizer: '', ...rest, ...change };
}

/** A move in a few words: the step, which template, and the partition. */
function reported(observation: PartitionObservation): string {
  const { outcome, closed, template, partition }: PartitionMove = decideRollout(observation, now, byPartition);
  return `${closed ? `closed ${closed.step}` : outcome.step} ${outcome.pod ?? '-'}, ${template} ${partition === everyMember ? 'none' : partition}`;
}

const policy: CanaryPolicy = { replicas: 1, bakeMs: 60_000, judgements: [], isPromoted: true, abortBy: 'abort=new' };
const fresh = up(2, { since: now - 10_000 });
const running = { state: 'Running', record: { job: 'migrate' } } as TaskStep;
const third = { applied: 'third', held: 'old', partition: 1, record: { partition: 1 } };

describe('an upgrade by a partition', () => {
  test.each<[string, PartitionObservation, string]>([
    ['releases the highest ordinal', observed([a, b, c]), 'Replacing cache-2, wanted 2'],
    ['waits for it', observed([a, b, up(2, { ready: false })]), 'Replacing cache-2, wanted 2'],
    ['releases the next one then', observed([a, b, up(2)]), 'Replacing cache-1, wanted 1'],
    ['is completed', observed(all(updated)), 'Completing -, wanted 0'],
    [
      'releases none while its gate is closed',
      observed([a, b, c], { gates, answer: no }),
      'closed AwaitingGate cache-2, wanted none',
    ],
    ['and one whose gate is open', observed([a, b, c], { gates, answer: yes }), 'Replacing cache-2, wanted 2'],
    [
      'releases none while the set shrinks',
      observed([a, b, c], { gates, answer: yes, isShrinking: true }),
      'closed AwaitingReplacement cache-2, wanted none',
    ],
    ['holds those behind while it is paused', observed([a, b, up(2)], { paused: true }), 'Paused -, wanted 2'],
    [
      'also those that are missing',
      observed([up(2)], { paused: true }, { record: { partition: 2 } }),
      'Paused -, wanted 2',
    ],
    [
      'is not paused where all run it',
      observed(all({ ...updated, ready: false }), { paused: true }),
      'Replacing cache-2, wanted 0',
    ],
    [
      'waits for the Job before its first member',
      observed([a, b, c], { hook: running }),
      'BeforeFirstPod -, wanted none',
    ],
    [
      'also where that member is missing',
      observed([], { hook: running, wantedReplicas: 1, replicas: 1 }, { replicas: 1 }),
      'BeforeFirstPod -, wanted none',
    ],
    [
      'keeps the template that members have gone ahead to',
      observed([a, b, member(2, { revision: 'third' })], { paused: true }, third),
      'Paused -, present 2',
    ],
    [
      'waits for a StatefulSet that is made again',
      observed([a, b, c], { isTakenUp: false }),
      'Starting -, wanted none',
    ],
    [
      'waits until what all run counts as that',
      observed(all({ revision: 'third' }), {}, { ...third, record: {} }),
      'Completing -, present 0',
    ],
    [
      'fails at its deadline',
      observed([a, b, c], { progress: { ...started, lastProgressAt: now - 900_000 } }),
      'Failed -, wanted none',
    ],
  ])('%s', (_how, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });

  test('says which member it waits for, and why', () => {
    const cause = 'its image can not be pulled';
    const { outcome } = decideRollout(observed([a, b, up(2, { ready: false, cause })]), now, byPartition);
    expect(outcome).toMatchObject({ pod: 'cache-2', blockedBy: cause });
  });
});

describe('a canary by a partition', () => {
  test.each<[string, PartitionObservation, string]>([
    ['goes first', observed([a, b, c], { canary: policy }), 'Replacing cache-2, wanted 2'],
    ['bakes', observed([a, b, fresh], { canary: policy }), 'Baking cache-2, wanted 2'],
    ['is followed when it has baked', observed([a, b, up(2)], { canary: policy }), 'Replacing cache-1, wanted 1'],
    [
      'that has fallen back brings none back',
      observed([a, up(1), fresh], { canary: policy }),
      'Replacing cache-0, wanted 0',
    ],
    [
      'waits for its promotion',
      observed([a, b, up(2)], { canary: { ...policy, isPromoted: false } }),
      'AwaitingPromotion -, wanted 2',
    ],
    [
      'is asked',
      observed([a, b, up(2)], { canary: { ...policy, analysis: { failureThreshold: 1 } } }),
      'Analysing cache-2, wanted 2',
    ],
    [
      'that answers yes is recorded before another one goes',
      observed([a, b, up(2)], { answer: yes, canary: { ...policy, analysis: { failureThreshold: 1 } } }),
      'Analysing cache-2, wanted 2',
    ],
  ])('%s', (_how, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });

  test('that answers no fails the upgrade', () => {
    const asked = { answer: no, canary: { ...policy, analysis: { failureThreshold: 1 } } };
    const { outcome } = decideRollout(observed([a, b, up(2)], asked), now, byPartition);
    expect(outcome.failed?.reason).toBe('AnalysisFailed');
  });
});

describe('members that go back', () => {
  const back = { given: 0, revision: 'old' };
  const failed = [a, b, up(2)];
  test('are released one by one, through their gates', () => {
    expect(reported(observed(failed, { ...back, gates, answer: no }, { applied: 'new', partition: 2 }))).toBe(
      'closed AwaitingGate -, wanted 3',
    );
    expect(reported(observed(failed, { ...back, gates, answer: yes }))).toBe('RollingBack -, wanted 2');
  });

  test('are released at once where none is asked, also in a pause', () => {
    expect(reported(observed(failed, { ...back, paused: true }))).toBe('RollingBack -, wanted 0');
  });
});
