import type { StatefulSet } from '@ordinal/client';
import { expect, test } from 'vitest';
import { reservationAnnotation } from '../annotations.ts';
import { cacheOf, childrenOf, conditionText, decided, podOf, seenOf, silent } from '../../test/clustered-cache/seen.ts';
import { membersOf } from '../clustered-cache/members.ts';
import { decideClusteredCache } from '../clustered-cache/decide.ts';
import { exposedMembersAfter } from './exposed-members.ts';
import type { CacheObservation } from '../clustered-cache/observe.ts';

const three = cacheOf({ replicas: 3 });
const two = { pod: 'sessions-2', podUID: 'pod-2' };
const one = { pod: 'sessions-1', podUID: 'pod-1' };
const terminating = podOf(2, three, { metadata: { deletionTimestamp: '2026-01-01T00:00:30Z' } });

/** A cache of three members that is to have one, and waits for its gates. */
const reducing = (status: object = {}, metadata: object = {}) =>
  cacheOf({ replicas: 1 }, { metadata, status: { currentRevision: 'r', shrinkingFrom: 3, ...status } });

/** What is seen of it with a StatefulSet of a size. */
function seeing(cache: CacheObservation['cache'], size: number, change: Partial<CacheObservation> = {}) {
  const children = childrenOf(three);
  const set = { ...children.set, spec: { ...children.set?.spec, replicas: size } } as StatefulSet; // Made above.
  return seenOf(cache, three, { children: { ...children, set }, ...change });
}

test('the members that another client makes the StatefulSet too small for are recorded before its size is put back', () => {
  const { status, actions, events } = decided(seeing(reducing(), 1));
  expect(status?.exposed).toEqual([one, two]);
  expect(actions).toContain('apply StatefulSet shop/sessions');
  expect(events).toEqual([]);
});

test('one that goes while the size is put back is named once, and no member is taken down meanwhile', () => {
  const cache = reducing({ exposed: [one, two] });
  const { status, events, actions } = decided(
    seeing(cache, 3, { pods: [0, 1].map((ordinal) => podOf(ordinal, three)), isSizeSeen: false }),
  );
  expect(events).toEqual(['GateBypassed']);
  expect(conditionText(status, 'GateBypassed')).toBe('True GateBypassed');
  expect(status?.exposed).toEqual([one]);
  expect(actions).toEqual([]);
});

test.each<[string, CacheObservation, readonly string[], readonly object[]]>([
  ['one that has gone', seeing(reducing({ exposed: [two] }), 3, { pods: [] }), ['sessions-2'], []],
  ['one that goes', seeing(reducing({ exposed: [two] }), 3, { pods: [terminating] }), ['sessions-2'], []],
  [
    'one that is there while its size was not seen',
    seeing(reducing({ exposed: [two] }), 3, { isSizeSeen: false }),
    [],
    [two],
  ],
  ['none when its size was seen', seeing(reducing({ exposed: [two] }), 3), [], []],
  [
    'each but once where it is too small still',
    seeing(reducing({ exposed: [one, two] }), 1, { pods: [podOf(0, three)] }),
    ['sessions-1', 'sessions-2'],
    [],
  ],
  [
    'none whose deletion the webhook has allowed',
    seeing(
      reducing({ exposed: [two] }, { annotations: { [reservationAnnotation]: 'pod-2 2026-01-01T00:00:00Z' } }),
      3,
      { pods: [] },
    ),
    [],
    [],
  ],
  [
    'none where the StatefulSet is lost',
    seenOf(reducing({ exposed: [two] }), three, { children: { ...childrenOf(three), set: undefined }, pods: [] }),
    [],
    [],
  ],
  [
    'nothing new before it is confirmed',
    seeing(reducing({ exposed: [two] }), 1, { pods: [], isConfirmed: false }),
    [],
    [two],
  ],
])('of the exposed members is said: %s', (_what, seen, gone, exposed) => {
  const after = exposedMembersAfter(membersOf(seen));
  expect(after.bypasses.map((sentence) => sentence.split(' ')[0])).toEqual(gone);
  expect(after.exposed).toEqual(exposed);
});

test('while a member is exposed, the members are looked at once more', () => {
  const seen = seeing(reducing({ exposed: [two] }), 3, { isConfirmed: false, isSizeSeen: false });
  expect(decideClusteredCache(seen, silent)).toEqual({ confirm: true });
});

// Found by reading: the size is not put back then, and each look said it again.
test.each<[string, object, object]>([
  ['is paused', {}, { annotations: { 'ordinal.dev/paused': 'true' } }],
  ['is not valid', { image: 'not an image' }, {}],
])('of a cache that %s, what has gone is named once', (_what, spec, metadata) => {
  const pods = [podOf(0, three)];
  const status = { currentRevision: 'r', shrinkingFrom: 3 };
  const first = decided(seeing(cacheOf({ replicas: 1, ...spec }, { metadata, status }), 1, { pods }));
  expect(first.events).toContain('GateBypassed');
  const cache = cacheOf({ replicas: 1, ...spec }, { metadata, status: first.status ?? {} });
  const second = decided(seeing(cache, 1, { pods }));
  expect(second.events).not.toContain('GateBypassed');
  expect(conditionText(second.status, 'GateBypassed')).toBe('True GateBypassed');
});

test('one that the StatefulSet has a place for is not named', () => {
  const { bypasses } = exposedMembersAfter(membersOf(seeing(reducing(), 2, { pods: [podOf(0, three)] })));
  expect(bypasses.map((sentence) => sentence.split(' ')[0])).toEqual(['sessions-2']);
});
