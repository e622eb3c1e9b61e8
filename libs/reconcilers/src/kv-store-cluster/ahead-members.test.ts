import type { Pod } from '@ordinal/client';
import { services, statefulSets } from '@ordinal/client';
import type { Action } from '@ordinal/lifecycle';
import { describe, expect, test } from 'vitest';
import { withAhead } from './ahead-members.ts';
import type { Observation } from './observation.ts';

const pod = (ordinal: number, metadata: Partial<Pod['metadata']> = {}) => ({
  metadata: { name: `orders-${ordinal}`, namespace: 'shop', uid: `p${ordinal}`, resourceVersion: '7', ...metadata },
  spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-orders-${ordinal}` } }] },
});

const cluster = {
  apiVersion: 'kvstore.example.com/v1',
  kind: 'KVStoreCluster',
  metadata: { name: 'orders', uid: 'u' },
  spec: {},
};

const seenWith = (pods: readonly object[], status?: object): Observation => {
  const statefulSet = status && { metadata: { generation: 2, uid: 's2' }, status };
  const sealer = { sign: ({ item }: { readonly item: unknown }) => JSON.stringify(item) };
  const claims = [{ metadata: { name: 'data-orders-6' } }];
  return { cluster, pods, claims, statefulSet, sealer } as unknown as Observation; // All that is read of it.
};

const ownedBy = (kind: string, uid: string) => ({ apiVersion: 'v1', kind, name: 'orders', uid, controller: true });
const another = { apiVersion: 'v1', kind: 'ConfigMap', name: 'theirs', uid: 'c' };
const byCluster = { apiVersion: cluster.apiVersion, kind: cluster.kind, name: 'orders', uid: 'u', controller: true };
const deletionTimestamp = '2026-01-01T00:00:00Z';
const applied = (descriptor: Extract<Action, { kind: 'apply' }>['descriptor']): Action => ({
  ...{ kind: 'apply', descriptor, because: 'it does not exist' },
  object: { apiVersion: descriptor.version, kind: descriptor.kind, metadata: { name: 'orders' } },
});
const made = applied(statefulSets);

describe('members that have gone ahead of a StatefulSet that is made again', () => {
  test('are controlled by the cluster before it is made, unless they are already, end, or are no members', () => {
    const kept = pod(3, { ownerReferences: [byCluster] });
    const others = [pod(4, { deletionTimestamp }), pod(5, { ownerReferences: [ownedBy('Job', 'j')] })];
    const left = [
      pod(1),
      pod(2, { ownerReferences: [another] }),
      pod(6, { ownerReferences: [ownedBy('StatefulSet', 's1')] }),
    ];
    const actions = withAhead(seenWith([...left, kept, ...others]), 2, [made]);
    expect(actions).toMatchObject([
      { kind: 'patch', target: { name: 'orders-2' }, fields: { metadata: { ownerReferences: [another, byCluster] } } },
      {
        kind: 'patch',
        target: { name: 'orders-6' },
        fields: { metadata: { ownerReferences: [byCluster], annotations: { 'ordinal.dev/seal': '{"uid":"p6"}' } } },
      },
      made,
    ]);
    // What has no claim of the cluster may be another client's.
    expect(actions[0]).not.toHaveProperty('fields.metadata.annotations');
    // The StatefulSet needs them: it has no room for one that it would take up.
    expect(actions.map(({ neededBy }) => neededBy)).toEqual([undefined, undefined, undefined]);
  });

  test('stay with the StatefulSet where it has taken them up', () => {
    const taken = pod(2, { ownerReferences: [ownedBy('StatefulSet', 's2')] });
    expect(withAhead(seenWith([taken], {}), 2, [])).toEqual([]);
  });

  test.each<[string, boolean, object | undefined, readonly Action[]]>([
    ['its controller has looked at it as it is', true, { observedGeneration: 2, currentRevision: 'orders-1' }, []],
    ['nothing but another child is to be written', true, { observedGeneration: 2, currentRevision: 'orders-1' }, [applied(services)]], // prettier-ignore
    ['it is to be brought to what is wanted', false, { observedGeneration: 2, currentRevision: 'orders-1' }, [made]],
    ['its controller has yet to look at what was written', false, { observedGeneration: 1, currentRevision: 'orders-1' }, []], // prettier-ignore
    ['no controller has looked at it', false, { observedGeneration: 2 }, []],
    ['it is not there', false, undefined, []],
  ])('are given to it when %s (%s)', (_when, expected, status, children) => {
    const seen = seenWith([pod(1), pod(2, { ownerReferences: [another, byCluster] })], status);
    const given = {
      kind: 'patch',
      target: { name: 'orders-2' },
      fields: { metadata: { ownerReferences: [another], annotations: { 'ordinal.dev/seal': null } } },
    };
    expect(withAhead(seen, undefined, children).slice(children.length)).toMatchObject(expected ? [given] : []);
  });
});
