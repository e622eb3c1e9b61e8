import type { OperatorSettings } from './settings.ts';

/** What is wrong with settings that are right one by one: each problem names the flags and what would be right. */
export function contradictionsOf(settings: OperatorSettings): readonly string[] {
  return [...timesOf(settings), ...shareOf(settings), ...portsOf(settings)];
}

/** A leader has to give up before others may take over, and to try more than once before it gives up. */
function timesOf({ leaderElect, leaseDuration, renewDeadline, retryPeriod }: OperatorSettings): readonly string[] {
  if (!leaderElect || (retryPeriod < renewDeadline && renewDeadline < leaseDuration)) return [];
  return [
    `--retry-period is shorter than --renew-deadline, and that is shorter than --lease-duration: ${retryPeriod} ms, ${renewDeadline} ms and ${leaseDuration} ms are not`,
  ];
}

function shareOf({ shareWork, leaderElect, dryRun }: OperatorSettings): readonly string[] {
  if (!shareWork || leaderElect || dryRun) return [];
  return ['--share-work needs --leader-elect: replicas without leases would all work on everything'];
}

function portsOf({ webhooks, webhookPort, healthPort, metricsPort }: OperatorSettings): readonly string[] {
  const taken = webhooks && [healthPort, metricsPort].includes(webhookPort);
  return taken
    ? [`--webhook-port ${webhookPort} is --health-port or --metrics-port too: webhooks need a port of their own`]
    : [];
}
