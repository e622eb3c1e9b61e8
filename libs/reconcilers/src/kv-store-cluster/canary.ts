import type { Instant } from '@ordinal/client';
import type { CanaryPolicy } from '@ordinal/lifecycle';
import { namesUpgrade } from '@ordinal/lifecycle';
import { promoteAnnotation } from '../annotations.ts';
import { canaryPolicyOf } from '../upgrade/canary.ts';
import { analysisTask } from './jobs.ts';
import { upgradeSteps } from './member-checks.ts';
import type { Observation } from './observation.ts';
import type { DueView, UpgradeView } from './upgrade.ts';

/** Whether an annotation names this upgrade: by the revision that it leads to, or by a version that does not run yet. */
export function names(view: UpgradeView, annotation: string): boolean {
  const { cluster, wanted } = view;
  const { version } = cluster.spec;
  const aim = { revision: wanted, version, runs: cluster.status?.currentVersion };
  return namesUpgrade(cluster.metadata.annotations?.[annotation], aim);
}

/** How canaries are judged. Undefined with another strategy: then members are replaced one after the other. */
export function canaryOf(seen: Observation, view: DueView, now: Instant): CanaryPolicy | undefined {
  const { canary } = upgradeSteps(seen.cluster);
  if (!canary) return undefined;
  const { startedAt = '', analysed: judgements = [] } = view.record;
  return canaryPolicyOf(canary, {
    ...{ revision: view.wanted, judgements, isPromoted: names(view, promoteAnnotation) },
    judge: canary.analysis?.job && ((member) => analysisTask(seen, { member, startedAt }, now)),
  });
}
