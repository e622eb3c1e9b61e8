import { describe, expect, test } from 'vitest';
import { all, b, broken, current, ended, member, now, reported, seen, started } from '../../test/rollout/seen.ts';
import type { CanaryPolicy, Member, Progress, RolloutObservation, TaskStep } from '../index.ts';
import { byDeletion, decideRollout, isSettled, progressAfter } from '../index.ts';

const policy = (change: Partial<CanaryPolicy> = {}): CanaryPolicy => ({
  ...{ replicas: 1, bakeMs: 0, judgements: [], isPromoted: true, abortBy: 'example.com/abort=new' },
  ...change,
});
const passed = (ordinal: number, change: Partial<Member> = {}) => {
  const { uid: podUID, revision } = member(ordinal, { ...current, ...change });
  return { podUID, revision, result: 'Passed' } as const;
};
const asked = { failureThreshold: 2 };
const taskIn = (state: TaskStep['state'], blockedBy?: string) => () => ({
  ...{ state, record: { purpose: 'Analysis', subject: 's', job: 'judge', message: 'seen' }, actions: [] },
  ...(blockedBy === undefined ? {} : { blockedBy }),
});
const canary = member(2, { ...current, since: now - 60_000 });
const first = [member(0), b, canary];
const with_ = (change: Partial<CanaryPolicy>, rest: Partial<RolloutObservation> = {}, members = first) =>
  seen(members, { canary: policy(change), ...rest });
const outcomeOf = (observation: RolloutObservation, at = now) => {
  const verdict = decideRollout(observation, at, byDeletion);
  return 'outcome' in verdict ? verdict.outcome : undefined;
};
const manual = { isPromoted: false, judgements: [passed(2)], analysis: asked } as const;

test('an analysis without an answer for long is a check that has failed, and one that says no is not', () => {
  const progress: Progress = { ...started, step: 'Analysing', podUID: canary.uid, since: now - 20_000 };
  const saying = (answer: object, since?: number) => {
    const at = since === undefined ? progress : { ...progress, since };
    const replied = () => ({ ok: false, message: 'nothing within 30 s', ...answer });
    return outcomeOf(with_({ analysis: asked }, { progress: at, answer: replied }))?.failedCheck;
  };
  const message = 'analysis of cache-2 can’t be run: nothing within 30 s';
  expect(saying({ silent: true })).toEqual({ reason: 'NotAnswered', message });
  expect(saying({ unknown: true })).toEqual({ reason: 'NotAnswered', message });
  expect(saying({ silent: true }, now - 1_000)).toBeUndefined();
  expect(saying({})).toBeUndefined();
});

describe('canaries', () => {
  test.each<[string, RolloutObservation, string]>([
    ['begin with the first that is replaced', with_({ bakeMs: 1 }, {}, all()), 'Holding cache-2, add hold cache-2'],
    [
      'bake before another member goes',
      with_({ bakeMs: 300_000 }),
      'Baking cache-2, cache-2 has to stay ready until 1970-01-01T00:20:40Z',
    ],
    ['are asked when they have baked', with_({ bakeMs: 60_000, analysis: asked }), 'ask analysis cache-2'],
    [
      'are judged by a Job, which says what keeps it',
      with_({ analysis: { ...asked, task: taskIn('Running', 'no node takes it') } }),
      'Analysing cache-2, the analysis of cache-2 has not ended; no node takes it',
    ],
    [
      'let the others go when they have passed',
      with_({ ...manual, isPromoted: true }),
      'Holding cache-1, add hold cache-1',
    ],
    [
      'wait for a user where promotion is manual',
      with_(manual),
      'AwaitingPromotion -, promotion is manual, and no user has promoted it yet (to go back: example.com/abort=new)',
    ],
    ['are as many as asked for', with_({ ...manual, replicas: 2 }), 'Holding cache-1, add hold cache-1'],
    [
      'also whoever is the first under another order',
      with_(
        { bakeMs: 300_000 },
        { order: 'LeaderLast' },
        [canary, b, member(2)].map((one, ordinal) => ({ ...one, ordinal })),
      ),
      'Baking cache-2, cache-2 has to stay ready until 1970-01-01T00:20:40Z',
    ],
    [
      'are waited for while they are not ready',
      with_(manual, {}, [member(0), b, { ...canary, ready: false }]),
      'AwaitingReady cache-2',
    ],
    [
      'are judged although another member is not ready',
      with_({ analysis: asked }, {}, [member(0, { ready: false }), b, canary]),
      'ask analysis cache-2',
    ],
    [
      'keep a broken one of before as it is',
      with_({ bakeMs: 300_000 }, {}, [member(0, broken), b, canary]),
      'Baking cache-2, cache-2 has to stay ready until 1970-01-01T00:20:40Z',
    ],
    [
      'that is broken and outdated goes as the first',
      with_({ bakeMs: 1 }, {}, [member(0, broken), b, member(2)]),
      'AwaitingReplacement cache-0, delete cache-0',
    ],
    [
      'do not keep a member that has ended',
      with_(manual, {}, [member(0, broken), member(1, ended), canary]),
      'AwaitingReplacement cache-1, remove hold cache-1',
    ],
    ['are not judged while the upgrade is paused', with_({ analysis: asked }, { paused: true }), 'Paused -'],
    [
      'do not keep the set from shrinking',
      with_(manual, { replicas: 3, wantedReplicas: 2 }),
      'TakingDown cache-2, replicas 2',
    ],
    [
      'are not judged before they have caught up',
      with_(
        { analysis: asked },
        {
          can: { role: false, sync: true, handoff: false },
          catchingUp: [{ ordinal: 2, podUID: 'before' }],
          answer: ({ about }) => (about === 'sync' ? { ok: false, message: 'not yet' } : undefined),
        },
      ),
      'AwaitingSync cache-2, sync: cache-2: not yet',
    ],
    [
      'do not keep another member from leaving for good',
      with_({ ...manual, judgements: [passed(0)] }, { replicas: 3, wantedReplicas: 2 }, [
        member(0, current),
        b,
        member(2),
      ]),
      'TakingDown cache-2, replicas 2',
    ],
    [
      'have the data first',
      with_(
        { analysis: asked },
        { can: { role: false, sync: true, handoff: false }, catchingUp: [{ ordinal: 2, podUID: 'before' }] },
      ),
      'ask sync cache-2',
    ],
    [
      'that are lost are judged anew',
      with_({ judgements: [{ ...passed(2), podUID: 'before' }], analysis: asked }),
      'ask analysis cache-2',
    ],
    [
      'that run something else since are judged anew',
      with_({ judgements: [{ ...passed(2), revision: 'older' }], analysis: asked }),
      'ask analysis cache-2',
    ],
    [
      'are followed by members that are judged, and do not bake',
      with_({ bakeMs: 300_000, analysis: asked, judgements: [passed(2)] }, {}, [member(0), member(1, current), canary]),
      'ask analysis cache-1',
    ],
    [
      'are not those that follow, where they bake alone',
      with_({ bakeMs: 300_000, judgements: [passed(2)] }, {}, [
        member(0),
        member(1, { ...current, since: now }),
        canary,
      ]),
      'Holding cache-0, add hold cache-0',
    ],
  ])('%s', (_when, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });

  test('that have baked have passed, which is on record before the next one goes', () => {
    expect(outcomeOf(with_({ bakeMs: 60_000 }))).toMatchObject({
      step: 'Baking',
      actions: [],
      analysed: [{ podUID: 'uid-2', revision: 'new', result: 'Passed' }],
      events: [{ reason: 'CanaryPassed', note: 'cache-2 stayed ready for 1 minute' }],
      lookAgainAt: now,
    });
  });

  test('bake from when that was recorded, where a clock was set back', () => {
    const later = { ...canary, since: now + 3_600_000 };
    const progress: Progress = { ...started, step: 'Baking', since: now - 50_000, pod: 'cache-2', podUID: 'uid-2' };
    const at = with_({ bakeMs: 60_000 }, { progress }, [member(0), b, later]);
    expect(outcomeOf(at)?.lookAgainAt).toBe(now + 10_000);
    expect(outcomeOf(at, now + 10_000)?.analysed).toHaveLength(1);
  });

  test('fail the upgrade when they answer no as often as is allowed, with the answer', () => {
    const no = () => ({ ok: false, message: 'HTTP 500' });
    const once = outcomeOf(with_({ analysis: asked }, { answer: no }));
    expect(once).toMatchObject({ step: 'Analysing', blockedBy: 'cache-2 answered 1 of 2 times with no: HTTP 500' });
    const failure = { reason: 'AnalysisFailed', message: 'the analysis of cache-2 failed: HTTP 500' };
    const { analysed = [] } = once ?? {};
    expect(outcomeOf(with_({ analysis: asked, judgements: analysed }, { answer: no }))).toMatchObject({
      step: 'Failed',
      failed: failure,
      analysed: [{ podUID: 'uid-2', result: 'Failed', failures: 2 }],
      events: [{ reason: 'UpgradeFailed', note: failure.message }],
    });
    const unknown = () => ({ ...no(), unknown: true });
    expect(outcomeOf(with_({ analysis: asked, judgements: analysed }, { answer: unknown }))?.step).toBe('Analysing');
    const job = { failureThreshold: 9, task: taskIn('Failed') };
    expect(outcomeOf(with_({ analysis: job }))).toMatchObject({ step: 'Failed', tasks: [{ state: 'Failed' }] });
  });

  test('are not complete before the last member was judged', () => {
    const judgements = [passed(1), passed(2)];
    const done = with_({ analysis: asked, judgements }, {}, all(current));
    expect([isSettled(done), reported(done)]).toEqual([false, 'ask analysis cache-0']);
    expect(reported(with_({ analysis: asked, judgements: [passed(0), ...judgements] }, {}, all(current)))).toBe(
      'settled',
    );
  });
});

describe('the deadline of canaries', () => {
  const late = now - 3_600_000;
  const waiting = (step: Progress['step'], rest: Partial<Progress> = {}): Progress => ({
    ...{ ...started, step, since: late, lastProgressAt: late - 60_000, pod: 'cache-2', podUID: 'uid-2' },
    ...rest,
  });

  test.each<[Progress['step'], Partial<CanaryPolicy>, string]>([
    ['Baking', { bakeMs: 7_200_000 }, 'Baking cache-2, cache-2 has to stay ready until 1970-01-01T02:15:40Z'],
    ['AwaitingPromotion', manual, reported(with_(manual))],
  ])('does not run while an upgrade is %s', (step, change, expected) => {
    const observation = with_(change, { progress: waiting(step) });
    expect(reported(observation)).toBe(expected);
    expect(outcomeOf(observation)?.lookAgainAt).not.toBe(now + observation.deadlineMs);
  });

  test('runs while they are analysed', () => {
    const progress = waiting('Analysing');
    expect(reported(with_({ analysis: asked }, { progress }))).toBe('Failed -');
    const fresh = { ...waiting('Baking'), lastProgressAt: now - 60_000 };
    const task = taskIn('Running');
    expect(outcomeOf(with_({ analysis: { ...asked, task } }, { progress: fresh }))?.lookAgainAt).toBe(now + 900_000);
  });

  test.each<[string, Progress, Parameters<typeof progressAfter>[1], number]>([
    ['goes on from now when the wait is over', waiting('Baking'), { step: 'Analysing', member: canary }, now],
    [
      'is put off by the wait when a canary falls back',
      waiting('AwaitingPromotion'),
      { step: 'AwaitingReady' },
      now - 60_000,
    ],
    ['is put off by the wait for the next one', waiting('Baking'), { step: 'Baking', member: member(1) }, now - 60_000],
    ['stays in the same wait', waiting('Baking'), { step: 'Baking', member: canary }, late - 60_000],
    ['stays where nothing was waited for', waiting('AwaitingGate'), { step: 'TakingDown' }, late - 60_000],
  ])('%s', (_how, progress, outcome, expected) => {
    expect(progressAfter(seen(all(), { progress }), outcome, now)).toBe(expected);
  });
});

test('an upgrade that a user ends fails, whatever it waits for', () => {
  const progress: Progress = { ...started, step: 'AwaitingPromotion', blockedBy: 'no user has promoted it' };
  const observation = with_(manual, { progress, abortedBy: 'example.com/abort' });
  expect(outcomeOf(observation)).toMatchObject({
    step: 'Failed',
    failed: {
      reason: 'Aborted',
      message: 'the upgrade was ended by the annotation example.com/abort, while no user has promoted it',
    },
  });
});
