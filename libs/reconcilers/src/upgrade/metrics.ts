import { conditionOf } from '@ordinal/client';
import type { UpgradeState } from '../upgrade-gauges.ts';
import { failedHooks } from './failed-jobs.ts';
import { recordedDeadline } from './lateness.ts';
import type { Upgradable } from './upgradable.ts';

/** What the gauges of upgrades show of an object of this kind. */
export function upgradeStateOf(resource: UpgradeState['resource'] & Upgradable, kind: string): UpgradeState {
  const { upgrade, shrinkingFrom, hooks = [], conditions } = resource.status ?? {};
  const failed = failedHooks(resource);
  const shrinking = shrinkingFrom === undefined ? undefined : conditionOf(conditions, 'Progressing');
  return {
    ...{ kind, resource, deadline: recordedDeadline(resource) },
    upgrade: upgrade?.step === 'Failed' ? undefined : upgrade,
    reducingSince: shrinking?.status === 'True' ? shrinking.lastTransitionTime : undefined,
    jobs: hooks.map((hook) => ({ purpose: hook.purpose, hasFailed: failed.includes(hook) })),
  };
}
