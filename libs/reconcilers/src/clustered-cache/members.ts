import { templateHashAnnotation } from '@ordinal/constructs';
import type { SeenMembers } from '../upgrade/kept-replicas.ts';
import type { CacheObservation } from './observe.ts';

/** The members of a cache, as far as their number is concerned. A pod that says from which template it was made was one. */
export const membersOf = ({ cache, children: { set }, pods, ...rest }: CacheObservation): SeenMembers => ({
  ...{ object: cache, wantedReplicas: cache.spec.replicas, set, pods },
  ...{ isConfirmed: rest.isConfirmed, isSizeSeen: rest.isSizeSeen },
  wasMember: ({ metadata }) => metadata.annotations?.[templateHashAnnotation] !== undefined,
});
