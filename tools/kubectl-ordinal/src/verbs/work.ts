import { conditionOf } from '@ordinal/client';
import { annotations } from '../annotations.ts';
import type { OrdinalResource } from '../kinds.ts';
import type { Decide, Seen } from './intent.ts';
import { annotate, annotationOf, refuse } from './intent.ts';

const isPaused = (resource: OrdinalResource): boolean => annotationOf(resource, annotations.paused) === 'true';

const isUpgradePaused = (resource: OrdinalResource): boolean =>
  resource.kind !== 'CloudDatabase' && resource.spec.upgrade?.paused === true;

/** What of the work on a resource is paused: all, or its upgrades; undefined where nothing is. Pure. */
export function pausedOf(resource: OrdinalResource): 'all' | 'upgrades' | undefined {
  if (isPaused(resource)) return 'all';
  return isUpgradePaused(resource) ? 'upgrades' : undefined;
}

/** Stops all work on a resource, or with `upgrade` holds an upgrade before its next member. */
export const pause: Decide<{ readonly upgrade?: boolean }> = ({ resource, options }) => {
  if (options.upgrade === true) {
    if (resource.kind === 'CloudDatabase') return refuse('a CloudDatabase has no upgrades');
    if (resource.kind === 'MonitoredStatefulSet' && resource.spec.upgrade === undefined)
      return refuse('its pods are replaced by the StatefulSet’s own controller: it has no spec.upgrade');
    if (isUpgradePaused(resource)) return refuse('its upgrades are paused already');
    return {
      does: 'holds an upgrade before its next member; its deadline does not count',
      patch: { spec: { upgrade: { paused: true } } },
    };
  }
  if (resource.metadata.deletionTimestamp !== undefined)
    return refuse('it is being deleted, and a pause does not stop a deletion');
  if (isPaused(resource)) return refuse('it is paused already');
  return {
    does: 'stops all work on it but its deletion: upgrades, backups, repairs',
    patch: annotate({ [annotations.paused]: 'true' }),
  };
};

/** Takes pauses away. */
export const resume: Decide = ({ resource }) => {
  const [all, upgrade] = [isPaused(resource), isUpgradePaused(resource)];
  if (!all && !upgrade) return refuse('it is not paused');
  return {
    does: 'lets the operator go on where it stopped',
    patch: {
      ...(all && annotate({ [annotations.paused]: null })),
      ...(upgrade && { spec: { upgrade: { paused: false } } }),
    },
  };
};

interface Recorded {
  readonly result?: string;
  readonly purpose?: string;
  readonly name?: string;
}

const hasFailed = ({ result }: Recorded): boolean => result === 'Failed';

/** What has failed and is not under way again, in words. */
function failures({ resource, facts }: Seen): readonly string[] {
  const { status } = resource;
  const hooks: readonly Recorded[] = status && 'hooks' in status ? (status.hooks ?? []) : [];
  const backups: readonly Recorded[] = status && 'backups' in status ? (status.backups ?? []) : [];
  const conditions = [
    ...[conditionOf(facts.conditions, 'Degraded'), conditionOf(facts.conditions, 'JobFailed')].filter(
      (each) => each?.status === 'True',
    ),
    conditionOf(facts.conditions, 'Synced')?.status === 'False' ? conditionOf(facts.conditions, 'Synced') : undefined,
  ];
  return [
    ...(facts.failure || facts.upgrade?.step === 'Failed' ? ['the upgrade'] : []),
    ...(facts.processingError ? [`what can’t be processed (${facts.processingError.reason})`] : []),
    ...hooks.filter(hasFailed).map(({ purpose = '' }) => `the Job ${purpose}`),
    ...backups
      .slice(0, 1)
      .filter(hasFailed)
      .map(({ name = '' }) => `the backup ${name}`),
    ...(facts.phase === 'Failed' ? ['what made its phase Failed'] : []),
    ...conditions.flatMap((condition) => (condition ? [`${condition.type} (${condition.reason})`] : [])),
  ];
}

/** Has what has failed tried again, at once and once. */
export const retry: Decide = (seen) => {
  const failed = failures(seen);
  const { resource, now } = seen;
  if (failed.length === 0) return refuse('nothing has failed: there is nothing to try again');
  // While the annotation is there, what is tried again would be ended at once.
  const aborts = annotationOf(resource, annotations.abort) !== undefined;
  return {
    does: `has tried again, at once: ${[...new Set(failed)].join(', ')}`,
    patch: annotate({
      [annotations.retry]: String(Math.floor(now / 1_000)),
      ...(aborts && { [annotations.abort]: null }),
    }),
  };
};
