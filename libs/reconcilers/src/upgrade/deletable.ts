import type { Pod } from '@ordinal/client';
import { allowedOn, wasDeletable } from '@ordinal/lifecycle';
import { memberAnnotations } from '../annotations.ts';
import type { SeenMembers } from './kept-replicas.ts';
import type { Upgradable } from './upgradable.ts';

/** The UIDs of the members whose deletion the webhook has allowed last, or a user by hand. */
export const allowedByAnnotations = (object: Pick<Upgradable, 'metadata'>): readonly string[] =>
  allowedOn(object, memberAnnotations);

/** How many members there are to be by the spec, or still are by the StatefulSet. */
const keptBySet = ({ wantedReplicas, set }: SeenMembers): number => Math.max(wantedReplicas, set?.spec.replicas ?? 1);

/** Whether no gate was bypassed although another client deleted this member. `kept`: the members with lower ordinals have their gates. */
export const wasMemberDeletable = (pod: Pod, seen: SeenMembers, kept = keptBySet(seen)): boolean =>
  wasDeletable(pod, { statefulSet: seen.set, kept, allowed: allowedByAnnotations(seen.object) });
