import type { ResourceDescriptor } from '@ordinal/client';
import { statefulSets } from '@ordinal/client';
import type { Action } from './action.ts';

/** Members rest on the StatefulSet alone: what else can't be made or taken away holds nothing up, and is reported. */
export function neededByMembers(descriptor: ResourceDescriptor): Pick<Action, 'neededBy'> {
  return descriptor === statefulSets ? {} : { neededBy: 'nothing' };
}
