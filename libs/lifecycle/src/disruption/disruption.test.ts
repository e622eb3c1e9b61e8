import type { Pod } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { all, idling, no, yes } from '../../test/rollout/seen.ts';
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
