import type { UpgradeTaskToBuild } from '@ordinal/constructs';
import { durationOf } from '@ordinal/constructs';
import type { UpgradeSteps } from '@ordinal/lifecycle';
import { stepsOf } from '@ordinal/lifecycle';
import type { Upgradable } from './upgradable.ts';

/** What the spec of an object says that an upgrade does beside replacing members. */
export const upgradeSteps = ({ spec }: Pick<Upgradable, 'spec'>): UpgradeSteps<UpgradeTaskToBuild['task']> =>
  stepsOf<UpgradeTaskToBuild['task']>(spec.upgrade, { onFailure: 'Stop', durationOf });
