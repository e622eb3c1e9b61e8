import type { Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import { isMember, isReady, versionOf } from './pods.ts';
import type { Change, Watcher } from './watcher.ts';

/** What became of a set's pods during a watch. */
export interface Replacements {
  /** Names of the pods that came, in the order in which they came. */
  readonly came: readonly string[];
  /** The versions that each pod's name has had, in order. */
  readonly versions: ReadonlyMap<string, readonly string[]>;
  /** How many served at the worst time. */
  readonly fewestReady: number;
}

/** Watches the pods of a set from now on. */
export function watchReplacements(watcher: Watcher, prefix: string): Replacements {
  const present = new Map<string, Pod>(watcher.list(pods, prefix).map((pod) => [pod.metadata.name, pod]));
  const seen = { came: [] as string[], versions: new Map<string, string[]>(), fewestReady: ready(present) };
  watcher.onChange((change) => {
    if (isPodOf(change, prefix)) record(change, present, seen);
  });
  return seen;
}

interface Recorded {
  readonly came: string[];
  readonly versions: Map<string, string[]>;
  fewestReady: number;
}

/** Takes one change into account. */
export function record(
  { type, object: pod }: Change & { readonly object: Pod },
  present: Map<string, Pod>,
  seen: Recorded,
): void {
  const { name, uid } = pod.metadata;
  if (type !== 'DELETED' && present.get(name)?.metadata.uid !== uid) {
    seen.came.push(name);
    seen.versions.set(name, [...(seen.versions.get(name) ?? []), versionOf(pod)]);
  }
  if (type === 'DELETED') present.delete(name);
  else present.set(name, pod);
  seen.fewestReady = Math.min(seen.fewestReady, ready(present));
}

const ready = (present: ReadonlyMap<string, Pod>): number => [...present.values()].filter(isReady).length;

function isPodOf(change: Change, prefix: string): change is Change & { readonly object: Pod } {
  return change.kind === pods.kind && change.object.metadata.name.startsWith(prefix) && isMember(change.object);
}
