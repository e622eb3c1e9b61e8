import type { Pod } from '@ordinal/client';
import { services, statefulSets } from '@ordinal/client';
import type { Action } from '@ordinal/lifecycle';
import { describe, expect, test } from 'vitest';
import { aheadFinalizer, releaseAhead, withAhead } from './ahead-members.ts';
import type { Observation } from './observation.ts';

const pod = (ordinal: number, metadata: Partial<Pod['metadata']> = {}) => ({
  metadata: { name: `orders-${ordinal}`, namespace: 'shop', uid: `p${ordinal}`, resourceVersion: '7', ...metadata },
});

const seenWith = (pods: readonly object[], status?: object): Observation => {
  const statefulSet = status && { metadata: { generation: 2 }, status };
  return { cluster: { metadata: { name: 'orders' } }, pods, statefulSet } as unknown as Observation; // All that is read of it.
};

const held = { finalizers: [aheadFinalizer] };
const deletionTimestamp = '2026-01-01T00:00:00Z';
const applied = (descriptor: Extract<Action, { kind: 'apply' }>['descriptor']): Action => ({
  ...{ kind: 'apply', descriptor, because: 'it does not exist' },
  object: { apiVersion: descriptor.version, kind: descriptor.kind, metadata: { name: 'orders' } },
});
const made = applied(statefulSets);

describe('members that have gone ahead of a StatefulSet that is made anew', () => {
  test('keep their names before it is made, unless they do so already, end, or are no members', () => {
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'orders', uid: 'j', controller: true }];
    const others = [pod(3, held), pod(4, { deletionTimestamp }), pod(5, { ownerReferences })];
    const [first, ...rest] = withAhead(seenWith([pod(1), pod(2), ...others]), 2, [made]);
    expect(first).toMatchObject({ kind: 'addFinalizer', target: { name: 'orders-2', resourceVersion: '7' } });
    // The StatefulSet needs it: it has room for one that is held only.
    expect(first?.neededBy).toBeUndefined();
    expect(rest).toEqual([made]);
  });

  test.each<[string, boolean, object | undefined, readonly Action[]]>([
    ['its controller has looked at it as it is', true, { observedGeneration: 2, currentRevision: 'orders-1' }, []],
    ['nothing but another child is to be written', true, { observedGeneration: 2, currentRevision: 'orders-1' }, [applied(services)]], // prettier-ignore
    ['it is to be brought to what is wanted', false, { observedGeneration: 2, currentRevision: 'orders-1' }, [made]],
    ['its controller has yet to look at what was written', false, { observedGeneration: 1, currentRevision: 'orders-1' }, []], // prettier-ignore
    ['no controller has looked at it', false, { observedGeneration: 2 }, []],
    ['it is not there', false, undefined, []],
  ])('lose their finalizer, also where they end meanwhile, when %s (%s)', (_when, expected, status, children) => {
    const seen = seenWith([pod(1), pod(2, { ...held, deletionTimestamp })], status);
    const released = withAhead(seen, undefined, children).slice(children.length);
    expect(released).toEqual(expected ? releaseAhead(seen) : []);
    expect(releaseAhead(seen)).toMatchObject([{ kind: 'removeFinalizer', target: { name: 'orders-2' } }]);
  });
});
