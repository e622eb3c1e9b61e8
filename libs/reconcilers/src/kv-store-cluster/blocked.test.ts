import type { KVStoreCluster, KVStoreClusterStatus } from '@ordinal/api';
import { templateHashAnnotation } from '@ordinal/constructs';
import { describe, expect, test } from 'vitest';
import type { ClusterBlocked } from './blocked.ts';
import { decideBlocked } from './blocked.ts';
import type { Observation } from './observation.ts';
import { wantedHash } from './observation.ts';
import { decideUpgrade } from './rollout-step.ts';
import { everyMember } from '@ordinal/lifecycle';

const minute = 60_000;
const began = Date.parse('2026-01-01T00:00:00Z');
const at = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19)}Z`;

const cluster = {
  apiVersion: 'kvstore.example.com/v1',
  kind: 'KVStoreCluster',
  metadata: {
    ...{ name: 'orders', namespace: 'shop', uid: 'u1', generation: 2 },
    annotations: { 'ordinal.dev/holds-data': 'u1' },
  },
  spec: { version: '2.0', replicas: 3, image: 'kv', storage: { size: '1Gi' }, upgradeStrategy: 'RollingUpdate' },
} as unknown as KVStoreCluster; // With the fields that the decision reads.
const wanted = wantedHash(cluster);
const running = (revision: string) => ({ metadata: { annotations: { [templateHashAnnotation]: revision } } });

interface Given {
  readonly status?: KVStoreClusterStatus;
  readonly record?: KVStoreClusterStatus['upgrade'];
  readonly upgrade?: object;
  /** How many members run what is wanted, from the highest ordinal on. */
  readonly updated?: number;
}

/** A rolling update from 1.0 to 2.0 that began at `began`. */
function upgrading({ status, record, upgrade, updated = 0 }: Given = {}): Observation {
  const pods = [0, 1, 2].map((ordinal) => ({
    metadata: {
      ...{ name: `orders-${ordinal}`, uid: `p${ordinal}`, labels: {} },
      ...running(ordinal >= 3 - updated ? wanted : 'before').metadata,
      ownerReferences: [{ uid: 's1', controller: true }],
    },
    spec: {},
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  }));
  const recorded = {
    ...{ toRevision: wanted, toVersion: '2.0', generation: 2, step: 'Replacing', pod: 'orders-2', partition: 0 },
    ...{ startedAt: at(began), lastProgressAt: at(began), updated: 0, ...record },
  };
  return {
    cluster: {
      ...cluster,
      spec: { ...cluster.spec, upgrade: { onFailure: 'Rollback', progressDeadline: '15m', ...upgrade } },
      status: { phase: 'Upgrading', currentVersion: '1.0', currentRevision: 'before', upgrade: recorded, ...status },
    },
    statefulSet: {
      metadata: { name: 'orders', uid: 's1' },
      spec: { replicas: 3, template: running(wanted), updateStrategy: { rollingUpdate: { partition: 0 } } },
      status: { currentRevision: 'orders-1', currentReplicas: 3 - updated },
    },
    previousTemplate: running('before'),
    pods,
  } as unknown as Observation; // The rest is not read here.
}

const taken: ClusterBlocked = { reason: 'NameTaken', message: 'Service shop/orders exists' };

function decided(seen: Observation, now: number, blocked: ClusterBlocked = taken) {
  const { actions, status, events = [], lookAgainAt } = decideBlocked(seen, blocked, now);
  const shown = status?.status as KVStoreClusterStatus;
  return { actions, status: shown, events: events.map(({ reason }) => reason), lookAgainAt };
}

/** The same, with the status that was decided. */
const after = (seen: Observation, status: KVStoreClusterStatus): Observation => ({
  ...seen,
  cluster: { ...seen.cluster, status },
});

describe.each([
  [taken, {}],
  [{ reason: 'InvalidSpec', message: 'spec.canary.replicas: 4 is more than 3' } as const, {}],
  [{ reason: 'InvalidSpec', message: 'soon is not a duration' } as const, { progressDeadline: 'soon' }],
])('an upgrade while nothing can be decided (%o)', (blocked, upgrade) => {
  test('is looked at again at its deadline at the latest', () => {
    const processingError = { reason: blocked.reason, message: 'of before', since: at(began - 60 * minute) };
    const { actions, status, lookAgainAt } = decided(
      upgrading({ upgrade, status: { processingError } }),
      began + 14 * minute,
      blocked,
    );
    expect({ actions, lookAgainAt }).toEqual({ actions: [], lookAgainAt: began + 15 * minute });
    expect(status.phase).toBe('Failed');
  });

  test('fails at its deadline (I19), touches nothing, and the problem stays reported', () => {
    const { actions, status, events } = decided(upgrading({ upgrade }), began + 15 * minute, blocked);
    expect(actions).toEqual([]);
    expect(events).toEqual(['UpgradeFailed', 'ProcessingError']);
    expect(status).toMatchObject({
      ...{ phase: 'Failed', currentVersion: '1.0', failedRevision: wanted },
      failure: { reason: 'ProgressDeadlineExceeded', at: at(began + 15 * minute) },
      processingError: { reason: blocked.reason },
    });
    const degraded = status.conditions?.find(({ type }) => type === 'Degraded');
    expect(degraded).toMatchObject({ status: 'True', reason: blocked.reason });
  });

  test('fails once', () => {
    const seen = upgrading({ upgrade });
    const { status } = decided(seen, began + 15 * minute, blocked);
    const again = decided(after(seen, status), began + 20 * minute, blocked);
    expect(again.status).toEqual(status);
    expect(again.events).not.toContain('UpgradeFailed');
  });
});

test('what has failed meanwhile is put back when the trouble is over', () => {
  const seen = upgrading();
  const { status } = decided(seen, began + 15 * minute);
  const { template, partition, events } = decideUpgrade(after(seen, status), began + 20 * minute);
  expect({ template, partition, events }).toEqual({ template: running('before'), partition: 0, events: [] });
});

test('what has failed meanwhile, and shall stop, stands as it stood then when the trouble is over', () => {
  const seen = upgrading({ upgrade: { onFailure: 'Stop' }, updated: 1, record: { updated: 1 } });
  const { status } = decided(seen, began + 15 * minute);
  expect(decideUpgrade(after(seen, status), began + 20 * minute).partition).toBe(2);
  const none = upgrading({ upgrade: { onFailure: 'Stop' } });
  const reported = decided(none, began + 15 * minute).status;
  expect(decideUpgrade(after(none, reported), began + 20 * minute).partition).toBe(everyMember);
});

test('members that come back updated meanwhile put the deadline off', () => {
  const { status, lookAgainAt, events } = decided(upgrading({ updated: 1 }), began + 20 * minute);
  expect(status.upgrade).toMatchObject({ updated: 1, lastProgressAt: at(began + 20 * minute) });
  expect(events).toEqual(['ProcessingError']);
  expect(lookAgainAt).toBe(began + 20 * minute + 1000);
});

test.each<[string, Given, ClusterBlocked?]>([
  ['all members run what is wanted', { updated: 3 }],
  ['it waits for a person', { record: { step: 'AwaitingPromotion' } }],
  ['it goes back to what ran', { record: { toRevision: 'before', step: 'RollingBack' } }],
  ['it has failed before', { status: { phase: 'Failed', failedRevision: wanted } }],
  ['a user has paused the cluster', {}, { reason: 'Paused', message: 'paused' }],
])('no upgrade fails by its deadline where %s', (_where, given, blocked) => {
  const { events, status } = decided(upgrading(given), began + 60 * minute, blocked);
  expect(events).not.toContain('UpgradeFailed');
  expect(status.failure).toBeUndefined();
});

describe('an upgrade whose cluster a user has paused', () => {
  const byAnnotation: ClusterBlocked = { reason: 'Paused', message: 'paused' };
  const paused = (given: Given, now: number) => {
    const seen = upgrading(given);
    return { seen, status: decided(seen, now, byAnnotation).status };
  };

  test('waits, which is said with the command that lets it go on, and written once', () => {
    const { seen, status } = paused({}, began + 10 * minute);
    expect(status.upgrade).toMatchObject({
      ...{ step: 'Paused', since: at(began + 10 * minute), blockedBy: 'paused', partition: 0 },
      release: 'kubectl annotate -n shop kvs orders ordinal.dev/paused-',
    });
    expect(status.upgrade).not.toHaveProperty('pod');
    expect(decided(after(seen, status), began + 60 * minute, byAnnotation).status).toEqual(status);
  });

  test('goes on when the annotation has gone, however long that was, with its whole deadline (I20)', () => {
    const { seen, status } = paused({}, began + 10 * minute);
    const { failed, record, lookAgainAt } = decideUpgrade(after(seen, status), began + 60 * minute);
    expect({ failed, step: record?.step, lookAgainAt }).toEqual({
      ...{ failed: undefined, step: 'Replacing', lookAgainAt: began + 75 * minute },
    });
  });

  test('says nothing of a spec that was not looked at', () => {
    const { status } = paused({ status: { observedGeneration: 1, phase: 'Ready' } }, began + minute);
    expect(status.observedGeneration).toBe(1);
    expect(status.conditions).toMatchObject([{ type: 'Progressing', reason: 'Paused', observedGeneration: 2 }]);
  });

  test('counts the time for which it baked before for no delay', () => {
    const recorded = { step: 'Baking', since: at(began + 2 * minute) } as const;
    const { status } = paused({ record: recorded }, began + 10 * minute);
    expect(status.upgrade).toMatchObject({ step: 'Paused', lastProgressAt: at(began + 8 * minute) });
  });

  test('has its deadline from when trouble takes the place of the pause', () => {
    const { seen, status } = paused({}, began + 10 * minute);
    const first = decided(after(seen, status), began + 60 * minute);
    expect(first.status.upgrade).not.toHaveProperty('step');
    const late = decided(after(seen, first.status), began + 75 * minute);
    expect(late.events).toContain('UpgradeFailed');
  });

  test('says nothing of one that has failed, or goes back', () => {
    const record = { toRevision: 'before', step: 'RollingBack' } as const;
    expect(paused({ record }, began + minute).status.upgrade?.step).toBe('RollingBack');
    const failed = { phase: 'Failed', failedRevision: wanted } as const;
    expect(paused({ status: failed }, began + minute).status.upgrade?.step).toBe('Replacing');
  });
});

describe('an upgrade that a user pauses by its spec', () => {
  const paused = (seen: Observation, isPaused: boolean, status = seen.cluster.status ?? {}): Observation => {
    const upgrade = { onFailure: 'Rollback', progressDeadline: '15m', paused: isPaused } as const;
    return after({ ...seen, cluster: { ...seen.cluster, spec: { ...seen.cluster.spec, upgrade } } }, status);
  };

  test('while nothing can be decided has its deadline from when the pause is over', () => {
    const seen = upgrading();
    const { status, lookAgainAt } = decided(paused(seen, true), began + 20 * minute);
    expect(status.upgrade).toMatchObject({
      ...{ step: 'Paused', since: at(began + 20 * minute), blockedBy: 'the upgrade is paused by spec.upgrade.paused' },
      release: `kubectl patch -n shop kvs orders --type merge -p '{"spec":{"upgrade":{"paused":false}}}'`,
    });
    // The problem alone is looked at again.
    expect(lookAgainAt).toBeGreaterThan(began + 20 * minute);
    expect(decided(paused(seen, true, status), began + 40 * minute).status.upgrade).toEqual(status.upgrade);
    const over = decided(paused(seen, false, status), began + 60 * minute);
    expect(over.events).not.toContain('UpgradeFailed');
    expect(over.status.upgrade?.lastProgressAt).toBe(at(began + 60 * minute));
    expect(decideUpgrade(paused(seen, false, status), began + 60 * minute).failed).toBeUndefined();
  });

  test('while its StatefulSet is made again has its deadline from when the pause is over', () => {
    const { statefulSet, ...rest } = upgrading({ record: { partition: 2 } });
    const seen = { ...rest, statefulSet: { ...statefulSet, status: {} } } as unknown as Observation; // As no controller has seen it.
    const { record, failed, lookAgainAt } = decideUpgrade(paused(seen, true), began + 20 * minute);
    expect({ step: record?.step, partition: record?.partition, failed, lookAgainAt }).toEqual({
      ...{ step: 'Paused', partition: 2, failed: undefined, lookAgainAt: undefined },
    });
    const status = { ...seen.cluster.status, ...(record && { upgrade: record }) };
    expect(decideUpgrade(paused(seen, false, status), began + 60 * minute).failed).toBeUndefined();
  });

  test('is under way, whatever its record calls a failure', () => {
    const seen = upgrading({ record: { step: 'Failed' as 'Paused' } }); // As a later version may write it.
    expect(decideUpgrade(seen, began + 20 * minute).failed?.reason).toBe('ProgressDeadlineExceeded');
  });
});
