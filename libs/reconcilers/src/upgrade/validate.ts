import { durationFault } from '@ordinal/constructs';
import type { ValidationError } from '@ordinal/lifecycle';
import { invalidDuration } from '../validate-checks.ts';
import type { UpgradeSpec } from './upgradable.ts';

/** What is wrong with the deadline, the order, the Jobs and the canaries of an upgrade of this many members. */
export function validateUpgrade(upgrade: UpgradeSpec | undefined, replicas: number): readonly ValidationError[] {
  const { progressDeadline, beforeFirstPod, canary, order, role } = upgrade ?? {};
  const found: ValidationError[] = [
    ...invalidDuration(progressDeadline, 'spec.upgrade.progressDeadline'),
    ...invalidDuration(beforeFirstPod?.deadline, 'spec.upgrade.beforeFirstPod.deadline'),
    ...invalidDuration(canary?.analysis?.job?.deadline, 'spec.upgrade.canary.analysis.job.deadline'),
  ];
  const bake = canary && durationFault(canary.bake);
  if (bake !== undefined) found.push({ path: 'spec.upgrade.canary.bake', message: bake });
  if (canary && canary.replicas > replicas) {
    const message = `${canary.replicas} is more than the ${replicas} members`;
    found.push({ path: 'spec.upgrade.canary.replicas', message });
  }
  if (order === 'LeaderLast' && !role) {
    found.push({ path: 'spec.upgrade.role', message: 'order LeaderLast needs it, to tell who leads' });
  }
  return found;
}
