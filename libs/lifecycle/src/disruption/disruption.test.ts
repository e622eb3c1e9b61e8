import type { Pod } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { all, idling, member, no, yes } from '../../test/rollout/seen.ts';
import type { Question, RolloutAnswer, RolloutObservation } from '../rollout/index.ts';
import type { DisruptionView } from './disruption.ts';
import { decideDisruption } from './disruption.ts';

const now = 1_000_000;
const podOf = (uid: string, name: string): Pod =>
  ({
    kind: 'Pod',
    metadata: { uid, name },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  }) as unknown as Pod; // All that is read of it.
const members = all();
const [first, second, third] = members;
const view = (change: Partial<DisruptionView> = {}): DisruptionView => ({
  rollout: idling([...members]),
  setName: 'cache',
  gatedReplicas: 3,
  pods: members.map(({ uid, name }) => podOf(uid, name)),
  isUnclaimed: () => false,
  ...change,
});
const asks = ({ uid, name }: { readonly uid: string; readonly name: string }, requester = 'admin') => ({
  pod: podOf(uid, name),
  requester,
  operator: 'operator',
});
const controller = 'system:serviceaccount:kube-system:statefulset-controller';

describe('what the operator has released', () => {
  const seen = view({ released: [third] });

  test('goes when the StatefulSet’s controller deletes it, also while a peer is down', () => {
    const down = view({ rollout: idling([{ ...first, ready: false }, second, third]), released: [third] });
    for (const one of [seen, down])
      expect(decideDisruption(one, asks(third, controller), now)).toEqual({
        may: true,
        because: 'the operator has released it',
      });
  });

  test('waits for another member that has come back and has not caught up, unless it lags itself, or a user has opened its gates', () => {
    const asked = { can: { role: false, sync: true, handoff: false }, hasRun: true, answer: no };
    const behind = (ordinal: number, change = {}) =>
      view({ rollout: idling([...members], { ...asked, catchingUp: [{ ordinal }], ...change }), released: [third] });
    expect(decideDisruption(behind(0), asks(third, controller), now)).toEqual({
      may: false,
      because: 'cache-0 has not caught up: not yet',
    });
    for (const one of [behind(2), behind(0, { openedFor: [third.uid] }), behind(0, { answer: yes })])
      expect(decideDisruption(one, asks(third, controller), now)).toMatchObject({ may: true });
  });

  test('is waited for by every other client, and by the controller for what was not released', () => {
    for (const requester of ['admin', controller])
      expect(decideDisruption(seen, asks(first, requester), now)).toEqual({
        may: false,
        because: 'cache-2 is being replaced or taken away by the operator',
      });
  });

  test('may be taken by another client as well', () => {
    expect(decideDisruption(seen, asks(third), now)).toMatchObject({ may: true, serving: true });
  });
});

test('while the operator is busy with all members none goes, unless a user has opened its gates', () => {
  const busy = { because: 'the Job backup works on the members' };
  expect(decideDisruption(view({ busy }), asks(first), now)).toEqual({ may: false, because: busy.because });
  const opened = view({ busy, rollout: idling([...members], { openedFor: [first.uid] }) });
  expect(decideDisruption(opened, asks(first), now)).toMatchObject({ may: true });
});

test('a member waits until its peers serve, and goes when it does not serve itself', () => {
  const down = view({ rollout: idling([first, { ...second, ready: false }, third]) });
  expect(decideDisruption(down, asks(first), now)).toEqual({ may: false, because: 'its peer cache-1 is not ready' });
  expect(decideDisruption(down, asks(second), now)).toMatchObject({ may: true });
});

describe('where two of five may be unavailable', () => {
  const all5 = Array.from({ length: 5 }, (_, ordinal) => member(ordinal));
  const five = (
    down: readonly number[],
    change: Partial<RolloutObservation> = {},
    rest: Partial<DisruptionView> = {},
  ) => {
    const seen5 = all5.map((one) => (down.includes(one.ordinal) ? { ...one, ready: false } : one));
    const sizes = { replicas: 5, wantedReplicas: 5, maxUnavailable: 2 };
    const pods = all5.map(({ uid, name }) => podOf(uid, name));
    return view({ rollout: idling(seen5, { ...sizes, ...change }), gatedReplicas: 5, pods, ...rest });
  };
  const may = { may: true, because: 'every gate is open', serving: true };
  const mayNot = (because: string) => ({ may: false, because });
  const can = { role: true, sync: false, handoff: false };
  const led =
    (leader: number) =>
    ({ of }: Question): RolloutAnswer => ({ ok: of.ordinal === leader, message: '' });
  const busy = { podUID: 'uid-1', because: 'the operator replaces cache-1' };

  test.each<[string, DisruptionView, object]>([
    ['one goes when all serve', five([]), may],
    ['one goes when another one is down', five([4]), may],
    ['none goes when two are', five([3, 4]), mayNot('2 members may be unavailable, and cache-3, cache-4 are')],
    [
      'what the operator takes down counts while it still serves',
      five([4], {}, { busy }),
      mayNot('2 members may be unavailable, and cache-4, cache-1 are'),
    ],
    ['it counts once', five([1], {}, { busy }), may],
    [
      'what it has released counts too',
      five([4], {}, { released: [all5[1] ?? third] }),
      mayNot('2 members may be unavailable, and cache-4, cache-1 are'),
    ],
    ['a Job is waited for', five([4], {}, { busy: { because: 'a Job is at work' } }), mayNot('a Job is at work')],
    [
      'another one that may go is waited for',
      five([], { reserved: 'uid-1' }),
      mayNot('the deletion of another member, cache-1, has just been allowed'),
    ],
    ['a leader goes when all others serve', five([], { can, answer: led(0) }), may],
    [
      'and not when one is down',
      five([4], { can, answer: led(0) }),
      mayNot('it may lead, and goes only when all others serve'),
    ],
    ['a follower goes beside another one', five([4], { can, answer: led(1) }), may],
    [
      'nor beside one that goes alone',
      five([4], { can, alone: [4], answer: led(1) }),
      mayNot('cache-4 goes alone, and is not back yet'),
    ],
    ['but not while none leads', five([4], { can, answer: led(4) }), mayNot('no member leads')],
    [
      'while members leave for good one goes at a time',
      five([3], { wantedReplicas: 4 }),
      mayNot('its peer cache-3 is not ready'),
    ],
    [
      'before a change of the spec was looked at, too',
      five([4], {}, { gatedReplicas: Infinity }),
      mayNot('its peer cache-4 is not ready'),
    ],
  ])('%s', (_what, seen, expected) => {
    expect(decideDisruption(seen, asks(all5[0] ?? first), now)).toEqual(expected);
  });

  test('its gates are asked of those that serve', () => {
    const gates = [{ name: 'lag', target: 'All' }] as const;
    const asked = decideDisruption(five([4], { gates }), asks(all5[0] ?? first), now);
    expect('ask' in asked && asked.ask.map(({ of }) => of.name)).toEqual(['cache-0', 'cache-1', 'cache-2', 'cache-3']);
  });
});
