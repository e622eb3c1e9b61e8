import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { operatorLabels, type Installation } from './options.ts';
import schema from './values.schema.json' with { type: 'json' };

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly severity: 'warning' | 'critical';
  readonly summary: string;
  readonly description: string;
}

/** The conditions that an alert should report, as the operator's metrics show them. */
export const alerts: readonly Alert[] = [
  {
    alert: 'OrdinalUpgradeFailed',
    expr: 'max by (namespace, name) ({__name__=~"ordinal_(clusteredcache|kvstorecluster|monitoredstatefulset)_upgrade_failed"}) > 0',
    for: '1m',
    severity: 'critical',
    summary: 'The upgrade of {{ $labels.namespace }}/{{ $labels.name }} has failed.',
    description: 'kubectl describe shows which pod it stopped at and why. Set the spec back, or correct it, to go on.',
  },
  {
    alert: 'OrdinalUpgradeStuck',
    // No sample while an upgrade waits for a person, or bakes: OrdinalUpgradeForgotten.
    expr: 'max by (namespace, name, step) ({__name__=~"ordinal_(clusteredcache|kvstorecluster|monitoredstatefulset)_upgrade_deadline_ratio"}) > 0.5',
    for: '1m',
    severity: 'warning',
    summary: 'The upgrade of {{ $labels.namespace }}/{{ $labels.name }} stands still at {{ $labels.step }}.',
    description:
      'Half of spec.upgrade.progressDeadline has passed since a member last came back; when all of it has, the upgrade fails. status.upgrade names what it waits for and the command that overrides it.',
  },
  {
    alert: 'OrdinalReductionStuck',
    expr: 'max by (namespace, name) ({__name__=~"ordinal_(clusteredcache|kvstorecluster|monitoredstatefulset)_reduction_seconds"}) > 900',
    for: '1m',
    severity: 'warning',
    summary: 'The reduction of {{ $labels.namespace }}/{{ $labels.name }} has waited for over a quarter of an hour.',
    description:
      'kubectl describe shows what it waits for: the gates of the member that leaves (Progressing), or the Job before the reduction (Scaled).',
  },
  {
    alert: 'OrdinalReductionFailed',
    expr: 'max by (namespace, name) (ordinal_kvstorecluster_reduction_failed) > 0',
    for: '1m',
    severity: 'critical',
    summary: 'The Job before the reduction of KVStoreCluster {{ $labels.namespace }}/{{ $labels.name }} has failed.',
    description:
      'No member is taken away. The condition Scaled has the last lines that the Job printed and the command that tries it again.',
  },
  {
    alert: 'OrdinalUpgradeForgotten',
    expr: 'max by (namespace, name, step) ({__name__=~"ordinal_(clusteredcache|kvstorecluster|monitoredstatefulset)_upgrade_step_seconds",step=~"AwaitingPromotion|Paused"}) > 14400',
    for: '1m',
    severity: 'warning',
    summary:
      'The upgrade of {{ $labels.namespace }}/{{ $labels.name }} has waited for a decision at {{ $labels.step }} for over four hours.',
    description: 'status.upgrade.release is the command that lets it go on.',
  },
  {
    alert: 'OrdinalGateBypassed',
    expr: 'max by (namespace, name) ({__name__=~"ordinal_(clusteredcache|kvstorecluster|monitoredstatefulset)_gate_bypassed"}) > 0',
    for: '0m',
    severity: 'warning',
    summary: 'A member of {{ $labels.namespace }}/{{ $labels.name }} was taken down past its gates.',
    description:
      'The condition GateBypassed names it. Its peers may not have had its data: look at them. The condition lasts until the next upgrade begins.',
  },
  {
    alert: 'OrdinalProcessingError',
    expr: 'max by (namespace, name, kind) (label_replace({__name__=~"ordinal_(clusteredcache|kvstorecluster|monitoredstatefulset|clouddatabase)_processing_error"}, "kind", "$1", "__name__", "ordinal_(.+)_processing_error")) > 0',
    for: '15m',
    severity: 'warning',
    summary: 'The {{ $labels.kind }} {{ $labels.namespace }}/{{ $labels.name }} can’t be processed.',
    description:
      'status.processingError, or the condition that is not as it should be (Degraded, Synced), says why. What is wrong with the spec is not tried again before it changes.',
  },
  {
    alert: 'OrdinalProviderUnreachable',
    expr: 'min by (namespace, name) (ordinal_clouddatabase_provider_reachable) < 1',
    for: '10m',
    severity: 'warning',
    summary:
      'The provider of CloudDatabase {{ $labels.namespace }}/{{ $labels.name }} does not answer, or refuses what it is asked.',
    description:
      'The condition Synced says why, and what to do: no account, wrong credentials, a quota, or a provider that is away. A database that could be used still can.',
  },
  {
    alert: 'OrdinalMonitorNotRegistered',
    expr: 'min by (namespace, name) (ordinal_monitoredstatefulset_monitor_registered) < 1',
    for: '10m',
    severity: 'warning',
    summary:
      'MonitoredStatefulSet {{ $labels.namespace }}/{{ $labels.name }} has not been registered with its monitor for ten minutes.',
    description:
      'Its failures are not reported. The condition MonitorRegistered has what the monitor last answered; it is tried again by itself unless the spec or the token is wrong.',
  },
  {
    alert: 'OrdinalCheckFailed',
    expr: 'max by (namespace, name) ({__name__=~"ordinal_(clusteredcache|kvstorecluster|monitoredstatefulset)_check_failed"}) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'A gate or another check of {{ $labels.namespace }}/{{ $labels.name }} can’t be run.',
    description:
      'The condition CheckFailed says which check of which member, why, and the command that goes on without it. No member goes down meanwhile.',
  },
  {
    alert: 'OrdinalJobFailed',
    expr: 'max by (namespace, name, purpose) ({__name__=~"ordinal_(clusteredcache|kvstorecluster|monitoredstatefulset)_job_failed"}) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'The Job {{ $labels.purpose }} of {{ $labels.namespace }}/{{ $labels.name }} has failed.',
    description:
      'status.hooks has its name and the last lines that it printed. What waits for it waits on; a backup on demand is reported for as long as its annotation asks for it.',
  },
  {
    alert: 'OrdinalBackupFailed',
    expr: 'max by (namespace, name) (ordinal_kvstorecluster_backup_failed) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'The last backup of KVStoreCluster {{ $labels.namespace }}/{{ $labels.name }} has failed.',
    description:
      'status.backups says which one and why. Ask for another one by the annotation ordinal.dev/backup, with another name.',
  },
  {
    alert: 'OrdinalBackupOverdue',
    expr: 'max by (namespace, name) (ordinal_kvstorecluster_backup_overdue_seconds) > 0.5 * max by (namespace, name) (ordinal_kvstorecluster_backup_interval_seconds)',
    for: '5m',
    severity: 'warning',
    summary: 'A scheduled backup of KVStoreCluster {{ $labels.namespace }}/{{ $labels.name }} is overdue.',
    description:
      'No backup of its schedule has succeeded since more than one and a half intervals. The condition BackupsOnSchedule and status.backupSchedule say why. It fires for a paused cluster too.',
  },
  {
    alert: 'OrdinalRestoreDrillFailed',
    expr: 'max by (namespace, name) (ordinal_kvstorecluster_drill_failed) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'The last restore drill of KVStoreCluster {{ $labels.namespace }}/{{ $labels.name }} has failed.',
    description:
      'Its newest backup may not be one that can be restored. The condition Restorable and status.drills say why. Ask for another drill by the annotation ordinal.dev/restore-drill, with another name.',
  },
  {
    alert: 'OrdinalRotationOverdue',
    expr: 'max by (namespace, name) (ordinal_clouddatabase_rotation_overdue) > 0',
    for: '5m',
    severity: 'warning',
    summary:
      'The login of CloudDatabase {{ $labels.namespace }}/{{ $labels.name }} is not replaced as spec.rotation asks.',
    description:
      'Its password is older than spec.rotation.every, or its provider keeps one login. The condition RotationOnSchedule says why, and Synced what fails.',
  },
  {
    alert: 'OrdinalDeletionStuck',
    expr: 'max by (kind) (operator_terminating_resources_total) > 0',
    for: '30m',
    severity: 'warning',
    summary: 'Deletions of {{ $labels.kind }} have not come to an end for half an hour.',
    description:
      'The Ready condition of the resources that are being deleted names what is waited for and the way out.',
  },
  {
    alert: 'OrdinalCleanupErrors',
    expr: 'sum by (kind, error) (increase(operator_finalizer_cleanup_errors_total[15m])) > 3',
    for: '5m',
    severity: 'warning',
    summary: 'The clean-up of {{ $labels.kind }} fails with {{ $labels.error }} errors.',
    description:
      'External systems that answer with permanent errors need a correction by hand; transient ones are tried again.',
  },
  {
    alert: 'OrdinalNoLeader',
    expr: 'max by (name) (leader_election_master_status) < 1',
    for: '2m',
    severity: 'critical',
    summary: 'No replica of the operator holds the lease {{ $labels.name }}.',
    description:
      'What it is for stands still: everything, or where replicas share the work the resources of that slot. Look at the lease, and at the permission to write it.',
  },
  {
    alert: 'OrdinalWatchStale',
    expr: 'max by (kind) (ordinal_cache_silence_seconds) > 120',
    for: '5m',
    severity: 'critical',
    summary: 'The operator has heard nothing of {{ $labels.kind }} for over two minutes.',
    description: 'Its readiness names the verb that is refused or fails. Check its permissions and the API server.',
  },
];

/** What the monitoring says of an installation beside its name. */
interface Monitoring extends Installation {
  /** The URL of the page of the alerts, where it is not the default one. */
  readonly runbooks: string | undefined;
}

/** A ServiceMonitor, and the alerts as a PrometheusRule. */
export function monitorOperator(scope: Construct, { name, namespace, runbooks }: Monitoring): void {
  const labels = operatorLabels({ name });
  new ApiObject(scope, 'service-monitor', {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      // Without `honorLabels`, `namespace` of a resource's metrics would become that of the operator.
      endpoints: [{ port: 'metrics', path: '/metrics', interval: '30s', honorLabels: true }],
    },
  });
  new ApiObject(scope, 'alerts', {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name, namespace, labels },
    spec: { groups: [alertGroup(runbooks)] },
  });
}

/** The alerts as a Prometheus rule group. `runbooks` is the URL of their page, which has a section for each. */
export function alertGroup(runbooks: string = schema.properties.runbooks.default) {
  return {
    name: 'ordinal',
    rules: alerts.map(({ severity, summary, description, ...rule }) => ({
      ...rule,
      labels: { severity },
      annotations: { summary, description, runbook_url: `${runbooks}#${rule.alert.toLowerCase()}` },
    })),
  };
}
