import type { Condition, Instant, KubernetesObject } from '@ordinal/client';
import { conditionOf } from '@ordinal/client';
import type { GaugeSample, GaugeValue, Gauges } from '@ordinal/lifecycle';
import { checkFailed, elapsedShare, samplesOf, secondsSince } from '@ordinal/lifecycle';

const gauges = {
  upgrade_failed: { help: '1 while the last upgrade has failed and nothing else is wanted. Alert on it.' },
  upgrade_seconds: { help: 'For how long the upgrade that is under way has been.' },
  upgrade_step_seconds: { help: 'For how long the upgrade has been at its present step.', labels: ['step'] },
  upgrade_deadline_ratio: {
    help: 'How much of the progress deadline has passed since a member last came back. At 1 the upgrade fails.',
    labels: ['step'],
  },
  reduction_seconds: { help: 'For how long a reduction of the replicas has waited or has been under way.' },
  job_failed: {
    help: '1 while a Job (a hook, a backup, a restore) that is still asked for or waited for has failed.',
    labels: ['purpose'],
  },
  check_failed: {
    help: '1 while a gate or another check of a member can’t be run, or its Job has failed, and something waits for it. Alert on it.',
  },
  processing_error: { help: '1 while reconciles fail.' },
} as const satisfies Gauges;

const nameOf = (kind: string, name: string): string => `ordinal_${kind}_${name}`;

type GaugesOf<Kind extends string> = {
  readonly [Name in keyof typeof gauges as `ordinal_${Kind}_${Name}`]: (typeof gauges)[Name];
};

/** The gauges of each kind whose pods are upgraded, in the names of this one. */
export const upgradeGauges = <Kind extends string>(kind: Kind): GaugesOf<Kind> =>
  Object.fromEntries(Object.entries(gauges).map(([name, gauge]) => [nameOf(kind, name), gauge])) as GaugesOf<Kind>; // Each name is of the kind.

/** What the gauges of upgrades show of one resource. */
export interface UpgradeState {
  /** The kind, as it stands in the names of gauges. */
  readonly kind: string;
  readonly resource: KubernetesObject & {
    readonly status?: {
      readonly failedRevision?: string;
      readonly upgrade?: { readonly step?: string };
      readonly processingError?: object;
      readonly conditions?: readonly Condition[];
    };
  };
  /** The record of an upgrade that may still succeed or fail; undefined where none is under way. */
  readonly upgrade:
    | { readonly startedAt?: string; readonly since?: string; readonly step?: string; readonly lastProgressAt?: string }
    | undefined;
  /** When it fails unless it moves before. */
  readonly deadline: Instant | undefined;
  /** Since when there are more members than the spec asks for; undefined where there are not. */
  readonly reducingSince: string | undefined;
  /** The Jobs on record, and whether each has failed while something waits for it. */
  readonly jobs: readonly { readonly purpose: string; readonly hasFailed: boolean }[];
}

/** What the state of a resource says of its upgrades. Pure. */
export function upgradeSamples(state: UpgradeState, now: Instant): GaugeSample[] {
  const { kind, resource, upgrade, deadline, reducingSince, jobs } = state;
  const { status } = resource;
  const { startedAt, since, lastProgressAt = startedAt, step = '' } = upgrade ?? {};
  const values: readonly GaugeValue<keyof typeof gauges>[] = [
    ['upgrade_failed', status?.failedRevision !== undefined || status?.upgrade?.step === 'Failed'],
    ['check_failed', conditionOf(status?.conditions, checkFailed)?.status === 'True'],
    ['processing_error', status?.processingError !== undefined],
    ['reduction_seconds', secondsSince(reducingSince, now)],
    ['upgrade_seconds', secondsSince(startedAt, now)],
    ['upgrade_step_seconds', secondsSince(since, now), { step }],
    ['upgrade_deadline_ratio', elapsedShare(lastProgressAt, deadline, now), { step }],
    ...jobs.map(({ purpose, hasFailed }) => ['job_failed', hasFailed, { purpose }] as const),
  ];
  return samplesOf(resource, values).map((sample) => ({ ...sample, name: nameOf(kind, sample.name) }));
}
