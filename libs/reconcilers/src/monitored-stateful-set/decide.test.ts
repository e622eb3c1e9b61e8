import type { MonitoredStatefulSet, MonitoredStatefulSetStatus } from '@ordinal/api';
import { expect, test } from 'vitest';
import { longestRetryMs, usualIntervals } from '@ordinal/lifecycle';
import type { MonitoredSetDecision } from './decide.ts';
import { decideMonitoredSet, decideBlocked } from './decide.ts';
import type { MonitoredSetObservation } from './observation.ts';
import { monitoredSetFinalizer } from './children.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

/** A set whose StatefulSet does not belong to it. */
function taken(status?: MonitoredStatefulSetStatus): MonitoredSetObservation {
  const set = {
    apiVersion: 'statefulsets.example.com/v1',
    kind: 'MonitoredStatefulSet',
    metadata: { name: 'db', namespace: 'team', uid: 'u', resourceVersion: '1', finalizers: [monitoredSetFinalizer] },
    spec: {
      monitorEndpoint: 'https://monitor.example.com',
      statefulSetSpec: {
        serviceName: 'db',
        selector: { matchLabels: { app: 'db' } },
        template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
      },
    },
    ...(status && { status }),
  } as unknown as MonitoredStatefulSet; // With the fields that the decision reads.
  return {
    set,
    statefulSet: { metadata: { name: 'db', uid: 'theirs' }, spec: { replicas: 1 } },
    places: [],
  } as unknown as MonitoredSetObservation; // The rest is not read here.
}

function decided(seen: MonitoredSetObservation): MonitoredSetDecision {
  const verdict = decideMonitoredSet(seen, { now, random: 0, intervals: usualIntervals, answers: new Map() });
  if ('decision' in verdict) return verdict.decision;
  throw new Error('it is not decided yet');
}

const problem = { reason: 'Refused', message: 'no' } as const;

test.each([
  ['NameTaken', (seen: MonitoredSetObservation) => decided(seen)],
  ['what is refused', (seen: MonitoredSetObservation) => decideBlocked(seen, problem, now)],
])('a problem that lasts is reported at every look, and published seldom (%s)', (_what, decide) => {
  const first = decide(taken());
  expect(first.events).toEqual([{ type: 'Warning', reason: 'ProcessingError', note: expect.any(String) }]);
  const again = decide(taken(first.status?.status as MonitoredStatefulSetStatus));
  expect(again.events).toEqual([{ ...first.events?.[0], atMostEveryMs: expect.any(Number) }]);
  expect(again.status?.status).toEqual(first.status?.status);
  expect(again.lookAgainAt).toBe(now + longestRetryMs);
});
