import type { KVStoreCluster } from '@ordinal/api';
import { expect, test } from 'vitest';
import { kvStoreClusterMetrics } from './metrics.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const began = '2026-01-01T00:00:00Z';

/** The gauges of a store with this status, in a few words; those that are 0 are left out. */
function gauges(status: object, metadata: object = {}): readonly string[] {
  const cluster = { metadata: { name: 'carts', namespace: 'shop', ...metadata }, spec: {}, status } as KVStoreCluster; // All that is read of it.
  return kvStoreClusterMetrics([cluster], now)
    .filter(({ value }) => value > 0)
    .map(({ name, labels, value }) => {
      const { namespace: _namespace, name: _name, ...more } = labels;
      return [name.replace('ordinal_kvstorecluster_', ''), ...Object.values(more), value].join(' ');
    });
}

test.each([
  ['True', ['gate_bypassed 1']],
  ['False', []],
])('a member that was taken past its gates is reported while the condition is %s', (status, expected) => {
  expect(gauges({ conditions: [{ type: 'GateBypassed', status }] })).toEqual(expected);
});

test('an upgrade tells for how long it has been at its step', () => {
  const upgrade = { startedAt: began, since: '2026-01-01T00:30:00Z', step: 'AwaitingPromotion' };
  expect(gauges({ upgrade })).toEqual(['upgrade_seconds 3600', 'upgrade_step_seconds AwaitingPromotion 1800']);
  expect(gauges({ upgrade, failedRevision: 'new' })).toEqual(['upgrade_failed 1']);
  expect(gauges({ upgrade }, { deletionTimestamp: began })).toEqual([]);
});

test('an upgrade tells how much of its deadline has passed since a member came back, and none while it waits for a person', () => {
  const upgrade = {
    toRevision: 'new',
    startedAt: began,
    since: began,
    step: 'AwaitingReady',
    lastProgressAt: '2026-01-01T00:52:30Z',
  };
  const reported = (of: object): readonly string[] => gauges(of).filter((gauge) => gauge.includes('ratio'));
  expect(reported({ currentVersion: '1', upgrade })).toEqual(['upgrade_deadline_ratio AwaitingReady 0.5']);
  expect(reported({ currentVersion: '1', upgrade: { ...upgrade, step: 'AwaitingPromotion' } })).toEqual([]);
});

test('a reduction that waits tells for how long', () => {
  const conditions = [{ type: 'Scaled', status: 'False', lastTransitionTime: '2026-01-01T00:30:00Z' }];
  expect(gauges({ conditions })).toEqual(['reduction_seconds 1800']);
});

const failed = (purpose: string, more: object = {}) => ({
  hooks: [{ purpose, job: 'job', subject: 'it', result: 'Failed', ...more }],
});

const asked = { annotations: { 'ordinal.dev/backup': 'it' } };

test.each<[string, object, object, readonly string[]]>([
  ['a backup on demand', failed('Backup'), asked, ['job_failed Backup 1']],
  ['a backup that is not asked for any more', failed('Backup'), {}, []],
  ['a Job before a reduction', failed('BeforeScaleDown'), {}, ['job_failed BeforeScaleDown 1']],
  ['a Job before a reduction that is over', failed('BeforeScaleDown', { spent: true }), {}, []],
  ['a Job before an upgrade that is not wanted any more', failed('BeforeUpgrade'), {}, []],
  ['a restore', { ...failed('Restore'), phase: 'Failed' }, {}, ['job_failed Restore 1']],
  ['an analysis', failed('Analysis'), {}, []],
  ['a final backup', failed('FinalBackup'), { deletionTimestamp: began }, ['job_failed FinalBackup 1']],
  ['a backup that runs', failed('Backup', { result: undefined }), asked, []],
])('of %s that has failed it is reported while something waits for it', (_what, status, metadata, expected) => {
  expect(gauges(status, metadata)).toEqual(expected);
});

test('a Job before an upgrade that has failed is reported while that upgrade has', () => {
  expect(gauges({ ...failed('BeforeUpgrade'), failedRevision: 'new' })).toEqual([
    'upgrade_failed 1',
    'job_failed BeforeUpgrade 1',
  ]);
});

const at = (minute: number, result?: string) => ({
  ...{ name: `m${minute}`, job: `j${minute}` },
  ...(result === undefined ? {} : { result, finishedAt: `2026-01-01T00:${minute}:00Z` }),
});

test.each<[string, readonly object[], readonly string[]]>([
  ['while the one that ended last has failed', [at(10, 'Succeeded'), at(20, 'Failed'), at(30)], ['backup_failed 1']],
  ['whichever was asked for last', [at(20, 'Failed'), at(10, 'Succeeded')], ['backup_failed 1']],
  ['and not after a later one has succeeded', [at(10, 'Failed'), at(20, 'Succeeded')], []],
  ['and not while none has ended', [at(10)], []],
])('of backups that are listed a failure is reported %s', (_when, backups, expected) => {
  expect(gauges({ backups })).toEqual(expected);
});

test('a schedule tells how late its backups are, and how far its times are apart', () => {
  const cluster = (schedule: object, backupSchedule: object, metadata: object = {}): KVStoreCluster =>
    ({
      metadata: { name: 'carts', namespace: 'shop', ...metadata },
      spec: { backup: { job: { command: ['backup'] }, schedule } },
      status: { backupSchedule },
    }) as unknown as KVStoreCluster; // All that is read of it.
  const reported = (...of: Parameters<typeof cluster>): readonly string[] =>
    kvStoreClusterMetrics([cluster(...of)], now).flatMap(({ name, value }) => {
      const short = name.replace('ordinal_kvstorecluster_backup_', '');
      return /^(overdue|interval)_seconds$/.test(short) ? [`${short} ${value}`] : [];
    });
  const halfHourly = { cron: '*/30 * * * *' };
  const since = '2026-01-01T00:01:00Z';
  expect(reported(halfHourly, { since })).toEqual(['overdue_seconds 1800', 'interval_seconds 1800']);
  expect(reported(halfHourly, { since, lastSuccessfulAt: '2026-01-01T00:30:00Z' })).toContain('overdue_seconds 0');
  expect(reported({ cron: '@daily' }, { since })).toEqual(['overdue_seconds 0', 'interval_seconds 86400']);
  expect(reported({ ...halfHourly, suspend: true }, { since })).toEqual([]);
  expect(reported({ cron: 'none' }, { since })).toEqual([]);
  expect(reported(halfHourly, { since }, { deletionTimestamp: began })).toEqual([]);
});

test('the newest restore drill with a result tells whether it has failed, and the newest that succeeded when it began', () => {
  const drill = (name: string, result?: string) => ({ name, startedAt: began, ...(result && { result }) });
  const success = `drill_last_success_timestamp_seconds ${Date.parse(began) / 1000}`;
  expect(gauges({ drills: [drill('a', 'Succeeded'), drill('b', 'Failed')] })).toEqual(['drill_failed 1', success]);
  expect(gauges({ drills: [drill('a', 'Failed'), drill('b', 'Succeeded'), drill('c')] })).toEqual([success]);
  expect(gauges({ drills: [drill('a')] })).toEqual([]);
});
