import type { KVStoreCluster, KVStoreClusterStatus } from '@ordinal/api';

/** The annotation that asks for a restore drill: its value is the drill's name, and another value asks for another one. */
export const drillAnnotation = 'ordinal.dev/restore-drill';

/** One restore drill, as the status has it. It is open until its scratch cluster is seen to be gone (`finishedAt`). */
export type DrillRecord = NonNullable<KVStoreClusterStatus['drills']>[number];

/** How many drills a status lists, beside the newest that succeeded. */
const keptRecords = 8;

/** How long a name may be, in characters: it is kept in the status, where the API server refuses more. */
const maxNameLength = 253;

/** The drills that a status lists, the oldest first. */
export const drillsOf = ({ status }: KVStoreCluster): readonly DrillRecord[] => status?.drills ?? [];

/** The drill that is under way, or whose scratch cluster may still be there. */
export const openDrill = (records: readonly DrillRecord[]): DrillRecord | undefined =>
  records.find(({ finishedAt }) => finishedAt === undefined);

/** The newest drill whose result is known and, where `result` is given, is this one. */
export const newestEnded = (records: readonly DrillRecord[], result?: DrillRecord['result']): DrillRecord | undefined =>
  records.findLast((record) => record.result !== undefined && (result === undefined || record.result === result));

/** The value of the annotation as it is acted on; undefined where there is none, or where it is longer than 253 characters. */
export const acceptedRequest = ({ metadata }: KVStoreCluster): string | undefined => {
  const name = metadata.annotations?.[drillAnnotation] ?? '';
  return name === '' || name.length > maxNameLength ? undefined : name;
};

/** The name of the drill that is asked for by annotation and was not begun; undefined where none is. */
export function requestedDrill(cluster: KVStoreCluster): string | undefined {
  const name = acceptedRequest(cluster);
  return name === cluster.status?.drillRequest ? undefined : name;
}

/** The records with this one in it, for the last drill of its name: as many as a status may list, and the newest that succeeded in any case. */
export function withDrill(records: readonly DrillRecord[], drill: DrillRecord): readonly DrillRecord[] {
  const isThis = ({ name }: DrillRecord): boolean => name === drill.name;
  const place = records.findIndex((record) => isThis(record) && record.startedAt === drill.startedAt);
  const all = place < 0 ? [...records.filter((record) => !isThis(record)), drill] : records.with(place, drill);
  const succeeded = newestEnded(all, 'Succeeded');
  return all.filter((record, index) => record === succeeded || index >= all.length - keptRecords);
}
