import type { Event, StatefulSet } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import type { Surroundings } from '../cluster/surroundings.ts';
import { hindrancesOf } from './hindrances.ts';

const now = Date.parse('2026-01-01T10:00:00Z');
const metadata = (name: string, more: object = {}) => ({
  ...{
    name,
    namespace: 'shop',
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T09:00:00Z',
  },
  ...more,
});

const set = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: metadata('carts'),
  spec: { replicas: 3 },
} as unknown as StatefulSet;

const resource = {
  apiVersion: 'kvstore.example.com/v1',
  kind: 'KVStoreCluster',
  metadata: metadata('carts', { uid: 'store' }),
  spec: {
    version: '1',
    replicas: 3,
    image: 'kvstore',
    upgradeStrategy: 'RollingUpdate',
    storage: { className: 'standard', size: '1Gi', mountPath: '/data' },
  },
} as const;

const warning = (note: string, at: string): Event =>
  ({
    ...{
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: metadata('event'),
      type: 'Warning',
      reason: 'FailedCreate',
    },
    ...{ note, regarding: { kind: 'StatefulSet', name: 'carts', uid: set.metadata.uid }, deprecatedLastTimestamp: at },
  }) as unknown as Event;

const around = (more: Partial<Surroundings>): Surroundings => ({
  ...{ resource, set, members: [], otherClaims: [], jobs: [], jobPods: [], events: [], unread: [] },
  ...more,
});

describe('what the API server refuses', () => {
  test.each([
    [
      'create Pod carts-2 in StatefulSet carts failed error: pods "carts-2" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2',
      'is refused by a full quota',
      'kubectl describe quota small -n shop',
    ],
    [
      'create Pod carts-2 in StatefulSet carts failed error: Internal error occurred: failed calling webhook "policy.example.com": connection refused',
      'is refused, since a webhook does not answer',
      'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations',
    ],
    ['create Pod carts-2 in StatefulSet carts failed error: no', 'is refused', undefined],
  ])('%s', (note, says, command) => {
    const events = [warning(note, '2026-01-01T09:59:00Z')];
    expect(hindrancesOf(around({ events }), now)).toEqual([
      {
        about: 'a new pod or volume of StatefulSet carts',
        says: `${says}: “${note}”`,
        since: '2026-01-01T09:59:00Z',
        command,
      },
    ]);
  });

  test('counts no more when it was long ago, or when all members are there', () => {
    const events = [warning('no', '2026-01-01T09:00:00Z')];
    expect(hindrancesOf(around({ events }), now)).toEqual([]);
    const recent = [warning('no', '2026-01-01T09:59:00Z')];
    const whole = { ...set, spec: { ...set.spec, replicas: 0 } } as StatefulSet;
    expect(hindrancesOf(around({ events: recent, set: whole }), now)).toEqual([]);
  });
});
