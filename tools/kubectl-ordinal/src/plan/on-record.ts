import { conditionOf } from '@ordinal/client';
import type { OrdinalResource } from '../kinds.ts';

/** Undefined where what is on record does not say what is there. */
export type OnRecord<View> = readonly View[] | undefined;

/** What a record says of a thing outside whose creation was announced. */
interface Announced {
  readonly id?: string | undefined;
  readonly absentSince?: string | undefined;
  readonly deleteRequestedAt?: string | undefined;
}

/** Whether the record says that the thing is there, and that nothing else was asked of it. Pure. */
export const isThere = ({ id, absentSince, deleteRequestedAt }: Announced): boolean =>
  id !== undefined && absentSince === undefined && deleteRequestedAt === undefined;

/** Whether a condition of the object is `True`. Pure. */
export const holds = ({ status }: OrdinalResource, type: string): boolean =>
  conditionOf(status?.conditions, type)?.status === 'True';
