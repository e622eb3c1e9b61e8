import type { Pod } from '@ordinal/client';

/** Whether a pod serves. */
export const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
