import { cleanUpMutations, engineMutations } from '../engine.ts';
import type { Mutation } from '../mutation.ts';
import { sealMutations } from '../seals.ts';
import { canaryMutations } from './canary.ts';
import { deadlineMutations } from './deadline.ts';
import { deletionMutations } from './deletion.ts';
import { disruptionKvMutations } from './disruption.ts';
import { drillMutations } from './drills.ts';
import { finalBackupMutations } from './final-backup.ts';
import { gateMutations } from './gates.ts';
import { madeAgainMutations } from './made-again.ts';
import { phaseKvMutations } from './phase.ts';
import { taskMutations } from './tasks.ts';
import { upgradeMutations } from './upgrade.ts';
import { volumeMutations } from './volumes.ts';
import { unseenKvMutations } from './unseen.ts';
import { unseenSecondKvMutations } from './unseen-second.ts';
import { unseenThirdKvMutations } from './unseen-third.ts';
import { unseenFourthKvMutations } from './unseen-fourth.ts';

/** Mistakes in KVStoreCluster: the bugs of its seed, and others that a developer might make. Each has to be found by a test. */
export const kvMutations: readonly Mutation[] = [
  ...sealMutations,
  ...upgradeMutations,
  ...deadlineMutations,
  ...madeAgainMutations,
  ...canaryMutations,
  ...deletionMutations,
  ...finalBackupMutations,
  ...volumeMutations,
  ...phaseKvMutations,
  ...taskMutations,
  ...disruptionKvMutations,
  ...drillMutations,
  ...gateMutations,
  ...cleanUpMutations,
  ...engineMutations,
  ...unseenKvMutations,
  ...unseenSecondKvMutations,
  ...unseenThirdKvMutations,
  ...unseenFourthKvMutations,
];
