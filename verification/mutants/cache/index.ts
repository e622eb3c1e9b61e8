import { cleanUpMutations, engineMutations } from '../engine.ts';
import type { Mutation } from '../mutation.ts';
import { sealMutations } from '../seals.ts';
import { adoptionCacheMutations } from './adoption.ts';
import { disruptionMutations } from './disruption.ts';
import { batchMutations } from './batch.ts';
import { canaryCacheMutations } from './canaries.ts';
import { hookCacheMutations } from './hooks.ts';
import { lifecycleMutations } from './lifecycle.ts';
import { nextMutations } from './next.ts';
import { questionMutations } from './questions.ts';
import { transitMutations } from './transit.ts';
import { unseenCacheMutations } from './unseen.ts';
import { unseenSecondCacheMutations } from './unseen-second.ts';
import { unseenThirdCacheMutations } from './unseen-third.ts';
import { unseenFourthCacheMutations } from './unseen-fourth.ts';
import { byHandCacheMutations } from './by-hand.ts';

/** Mistakes in ClusteredCache: the bugs of its seed, and others that a developer might make. Each has to be found by a test. */
export const cacheMutations: readonly Mutation[] = [
  ...sealMutations,
  ...nextMutations,
  ...transitMutations,
  ...batchMutations,
  ...lifecycleMutations,
  ...questionMutations,
  ...disruptionMutations,
  ...adoptionCacheMutations,
  ...cleanUpMutations,
  ...engineMutations,
  ...unseenCacheMutations,
  ...unseenSecondCacheMutations,
  ...unseenThirdCacheMutations,
  ...unseenFourthCacheMutations,
  ...byHandCacheMutations,
  ...hookCacheMutations,
  ...canaryCacheMutations,
];
