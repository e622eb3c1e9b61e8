import type { KVStoreCluster, KVStoreClusterSpec } from '@ordinal/api';
import { durationFault, kvStoreContainer } from '@ordinal/constructs';
import { quantity, scheduleOf, validateSchedule } from '@ordinal/lifecycle';
import type { ValidationError } from '@ordinal/lifecycle';
import { validateChecks } from '../validate-checks.ts';
import { validateRetention } from './backup/retention.ts';
import { durationsOfDrill, validateDrill } from './drill/validate.ts';

/**
 * What is wrong with a spec beyond what its schema says. The webhook and the reconciler ask the same function, so that an object that came in while the
 * webhook was down is not acted upon (seed 004).
 */
export function validateKVStoreCluster({ spec }: Pick<KVStoreCluster, 'spec'>): readonly ValidationError[] {
  const errors: ValidationError[] = [];
  const refuse = (path: string, message: string): void => void errors.push({ path, message });
  if (!((quantity(spec.storage.size) ?? 0) > 0))
    refuse('spec.storage.size', `${spec.storage.size} is not a size: write it like 10Gi`);
  for (const [path, text] of durationsOf(spec)) {
    const fault = text === undefined ? undefined : durationFault(text);
    if (fault !== undefined) refuse(path, fault);
  }
  errors.push(...validateBackup(spec.backup));
  const analysis = spec.canary?.analysis;
  if (analysis?.http && analysis.http.port === undefined && spec.port === undefined) {
    refuse('spec.canary.analysis.http.port', 'there is no port to ask: set it, or spec.port');
  }
  if (
    spec.backup?.onDelete === 'Required' &&
    spec.deletionPolicy === 'Delete' &&
    spec.backup.job.command.length === 0
  ) {
    refuse('spec.backup.job.command', 'a required final backup needs a command');
  }
  if (spec.canary && spec.canary.replicas > spec.replicas) {
    refuse('spec.canary.replicas', `${spec.canary.replicas} is more than the ${spec.replicas} members of the cluster`);
  }
  const containers = [kvStoreContainer(spec), ...(spec.podTemplate?.spec?.containers ?? []).map(({ name }) => name)];
  return [...errors, ...validateChecks(spec, containers), ...validateDrill(spec)];
}

function durationsOf(spec: KVStoreClusterSpec): readonly (readonly [string, string | undefined])[] {
  return [
    ['spec.upgrade.progressDeadline', spec.upgrade?.progressDeadline],
    ['spec.upgrade.beforeFirstPod.deadline', spec.upgrade?.beforeFirstPod?.deadline],
    ['spec.scaleDown.before.deadline', spec.scaleDown?.before?.deadline],
    ['spec.delete.before.deadline', spec.delete?.before?.deadline],
    ['spec.canary.bake', spec.canary?.bake],
    ['spec.canary.analysis.timeout', spec.canary?.analysis?.timeout],
    ['spec.canary.analysis.job.deadline', spec.canary?.analysis?.job?.deadline],
    ...backupDurations(spec.backup),
    ['spec.restoreFrom.job.deadline', spec.restoreFrom?.job.deadline],
    ...durationsOfDrill(spec.backup?.drill),
  ];
}

function validateBackup(backup: KVStoreClusterSpec['backup']): readonly ValidationError[] {
  const { schedule } = backup ?? {};
  const errors = schedule ? validateSchedule(scheduleOf(schedule), 'spec.backup.schedule') : [];
  return errors.length > 0 ? errors : validateRetention(backup);
}

function backupDurations(backup: KVStoreClusterSpec['backup']): ReturnType<typeof durationsOf> {
  return [
    ['spec.backup.job.deadline', backup?.job.deadline],
    ['spec.backup.prune.deadline', backup?.prune?.deadline],
    ['spec.backup.retention.age', backup?.retention?.age],
    ['spec.backup.schedule.startingDeadline', backup?.schedule?.startingDeadline],
  ];
}
