import { cleanUpMutations } from '../engine.ts';
import type { Mutation } from '../mutation.ts';
import { sealMutations } from '../seals.ts';
import { connectionMutations } from './connection.ts';
import { departureMutations } from './departure.ts';
import { existenceMutations } from './existence.ts';
import { failureMutations } from './failure.ts';
import { followMutations } from './follow.ts';
import { importsMutations } from './imports.ts';
import { phaseMutations } from './phase.ts';
import { rotationMutations } from './rotation.ts';
import { setMutations } from './set.ts';
import { unseenExternalMutations } from './unseen.ts';

/** Mistakes in what MonitoredStatefulSet and CloudDatabase share, and in each: the bugs of their seeds, and others that a developer might make. */
export const externalMutations: readonly Mutation[] = [
  ...sealMutations,
  ...cleanUpMutations,
  ...existenceMutations,
  ...departureMutations,
  ...failureMutations,
  ...followMutations,
  ...importsMutations,
  ...connectionMutations,
  ...phaseMutations,
  ...rotationMutations,
  ...setMutations,
  ...unseenExternalMutations,
];
