/** What a metric says, a sample each minute: `1x60` is a 1 for an hour. */
interface Series {
  readonly series: string;
  readonly values: string;
}

/** An alert, its situation, and by when it fires, with the labels of its subject; with no labels it is not. */
interface AlertTest {
  readonly alert: string;
  readonly input: readonly Series[];
  readonly at: string;
  readonly labels?: Readonly<Record<string, string>>;
}

const of = 'namespace="shop",name="carts"';
const about = { namespace: 'shop', name: 'carts' };

const one = (metric: string, values: string, more = ''): readonly Series[] => [
  { series: `ordinal_${metric}{${of}${more}}`, values },
];

/** For how long a step has been going on: a minute more with each sample. */
const step = (kind: string, name: string): readonly Series[] =>
  one(`${kind}_upgrade_step_seconds`, '0+60x600', `,step="${name}"`);

/** An upgrade that stands still with the default deadline of 15 minutes: a fifteenth more with each sample. */
const standingStill = (kind: string, name: string): readonly Series[] =>
  one(`${kind}_upgrade_deadline_ratio`, '0+0.0667x15', `,step="${name}"`);

/** The kinds whose pods are upgraded. */
const upgraded = ['clusteredcache', 'kvstorecluster', 'monitoredstatefulset'];

/** When the alerts about resources fire, and when not. */
export const alertTests: readonly AlertTest[] = [
  ...upgraded.flatMap((kind) => [
    { alert: 'OrdinalUpgradeFailed', input: one(`${kind}_upgrade_failed`, '1x5'), at: '2m', labels: about },
    { alert: 'OrdinalUpgradeFailed', input: one(`${kind}_upgrade_failed`, '0x5'), at: '5m' },
    {
      ...{ alert: 'OrdinalUpgradeStuck', input: standingStill(kind, 'AwaitingReady'), at: '10m' },
      labels: { ...about, step: 'AwaitingReady' },
    },
    { alert: 'OrdinalUpgradeStuck', input: standingStill(kind, 'AwaitingReady'), at: '7m' },
    { alert: 'OrdinalReductionStuck', input: one(`${kind}_reduction_seconds`, '0+60x60'), at: '20m', labels: about },
    { alert: 'OrdinalReductionStuck', input: one(`${kind}_reduction_seconds`, '0+60x60'), at: '15m' },
  ]),
  { alert: 'OrdinalReductionFailed', input: one('kvstorecluster_reduction_failed', '1x5'), at: '2m', labels: about },
  { alert: 'OrdinalReductionFailed', input: one('kvstorecluster_reduction_failed', '0x5'), at: '5m' },
  // It fails before anything counts as stuck.
  { alert: 'OrdinalReductionStuck', input: one('kvstorecluster_reduction_failed', '1x5'), at: '5m' },
  ...upgraded.flatMap((kind) => [
    { alert: 'OrdinalUpgradeStuck', input: step(kind, 'AwaitingPromotion'), at: '10h' },
    ...['AwaitingPromotion', 'Paused'].map((name) => ({
      ...{ alert: 'OrdinalUpgradeForgotten', input: step(kind, name), at: '5h' },
      labels: { ...about, step: name },
    })),
    { alert: 'OrdinalUpgradeForgotten', input: step(kind, 'AwaitingPromotion'), at: '3h' },
    { alert: 'OrdinalUpgradeForgotten', input: step(kind, 'Replacing'), at: '10h' },
  ]),
  ...upgraded.flatMap((kind) => [
    { alert: 'OrdinalGateBypassed', input: one(`${kind}_gate_bypassed`, '1x5'), at: '1m', labels: about },
    { alert: 'OrdinalGateBypassed', input: one(`${kind}_gate_bypassed`, '0x5'), at: '5m' },
  ]),
  ...upgraded.flatMap((kind) => [
    { alert: 'OrdinalCheckFailed', input: one(`${kind}_check_failed`, '1x10'), at: '6m', labels: about },
    { alert: 'OrdinalCheckFailed', input: one(`${kind}_check_failed`, '0x10'), at: '6m' },
  ]),
  ...[...upgraded, 'clouddatabase'].map((kind) => ({
    ...{ alert: 'OrdinalProcessingError', input: one(`${kind}_processing_error`, '1x60'), at: '20m' },
    labels: { ...about, kind },
  })),
  { alert: 'OrdinalProcessingError', input: one('clouddatabase_processing_error', '1x10 0x50'), at: '20m' },
  {
    ...{ alert: 'OrdinalProviderUnreachable', input: one('clouddatabase_provider_reachable', '0x60'), at: '15m' },
    labels: about,
  },
  { alert: 'OrdinalProviderUnreachable', input: one('clouddatabase_provider_reachable', '0x8 1x50'), at: '15m' },
  { alert: 'OrdinalProviderUnreachable', input: one('clouddatabase_provider_reachable', '1x60'), at: '60m' },
  {
    ...{ alert: 'OrdinalMonitorNotRegistered', input: one('monitoredstatefulset_monitor_registered', '0x30') },
    ...{ at: '12m', labels: about },
  },
  { alert: 'OrdinalMonitorNotRegistered', input: one('monitoredstatefulset_monitor_registered', '0x30'), at: '8m' },
  { alert: 'OrdinalMonitorNotRegistered', input: one('monitoredstatefulset_monitor_registered', '1x30'), at: '20m' },
  {
    alert: 'OrdinalMonitorNotRegistered',
    input: one('monitoredstatefulset_monitor_registered', '0x5 1x5 0x9'),
    at: '19m',
  },
  ...upgraded.flatMap((kind) => [
    {
      ...{ alert: 'OrdinalJobFailed', input: one(`${kind}_job_failed`, '1x60', ',purpose="BeforeUpgrade"'), at: '10m' },
      labels: { ...about, purpose: 'BeforeUpgrade' },
    },
    { alert: 'OrdinalJobFailed', input: one(`${kind}_job_failed`, '0x60', ',purpose="BeforeUpgrade"'), at: '10m' },
  ]),
  { alert: 'OrdinalBackupFailed', input: one('kvstorecluster_backup_failed', '1x60'), at: '10m', labels: about },
  { alert: 'OrdinalBackupFailed', input: one('kvstorecluster_backup_failed', '1x10 0x50'), at: '20m' },
  {
    alert: 'OrdinalBackupOverdue',
    input: [
      ...one('kvstorecluster_backup_overdue_seconds', '0x59 0+60x60'),
      ...one('kvstorecluster_backup_interval_seconds', '3600x120'),
    ],
    at: '1h40m',
    labels: about,
  },
  {
    alert: 'OrdinalBackupOverdue',
    input: [
      ...one('kvstorecluster_backup_overdue_seconds', '0x59 0+60x60'),
      ...one('kvstorecluster_backup_interval_seconds', '3600x120'),
    ],
    at: '1h30m',
  },
  { alert: 'OrdinalRestoreDrillFailed', input: one('kvstorecluster_drill_failed', '1x60'), at: '10m', labels: about },
  { alert: 'OrdinalRestoreDrillFailed', input: one('kvstorecluster_drill_failed', '1x10 0x50'), at: '20m' },
  { alert: 'OrdinalRotationOverdue', input: one('clouddatabase_rotation_overdue', '1x60'), at: '10m', labels: about },
  { alert: 'OrdinalRotationOverdue', input: one('clouddatabase_rotation_overdue', '1x10 0x50'), at: '20m' },
];
