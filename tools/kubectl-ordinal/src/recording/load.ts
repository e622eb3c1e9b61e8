import { createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { KubernetesObject } from '@ordinal/client';
import { opened } from '@ordinal/reconcilers';
import type { RecordedReconcile } from '@ordinal/runtime/recording';
import { readRecording } from '@ordinal/runtime/recording';
import { CommandError, exitCodes } from '../failure.ts';
import type { World } from '../world.ts';

/** One reconcile of a recording, with the objects that it names. */
export interface LoadedReconcile {
  readonly record: RecordedReconcile;
  /** What the caches showed, by kind: `statefulsets.apps`. Frozen. */
  readonly seen: ReadonlyMap<string, readonly KubernetesObject[]>;
}

/** A recording as it was read. */
export interface Recording {
  readonly version: string;
  readonly reconciles: readonly LoadedReconcile[];
  /** How many reconciles were left out when it was written. */
  readonly dropped: number;
  readonly isCutOff: boolean;
}

/** How a recording is read. */
interface LoadOptions {
  readonly key?: KeyObject | undefined;
  /** What was decided, too, is opened: to be read. It stays hidden otherwise, to be compared with what is hidden again. */
  readonly opensDecisions?: boolean | undefined;
}

/** Shorter ones are refused, in bytes. */
const shortestKey = 32;

/** The key in a file. Throws a `CommandError` where it is too short for one. */
export async function readKey(path: string, { readBytes }: Pick<World, 'readBytes'>): Promise<KeyObject> {
  const bytes = await readBytes(path);
  if (bytes.length < shortestKey)
    throw new CommandError(
      `${path} has fewer than ${shortestKey} bytes: that is no key of a recording`,
      exitCodes.usage,
    );
  return createSecretKey(bytes);
}

/**
 * Reads a recording, with what is hidden in it opened where there is the key. Pure.
 *
 * @throws CommandError where the file is none.
 */
export async function loadRecording(
  file: Uint8Array,
  { key, opensDecisions = false }: LoadOptions = {},
): Promise<Recording> {
  const { lines, isCutOff } = await readRecording(file).catch((cause: unknown) => {
    throw new CommandError(cause instanceof Error ? cause.message : String(cause), exitCodes.usage, { cause });
  });
  const open = <Value>(value: Value): Value => (key === undefined ? value : (opened(value, key) as Value)); // Of the same shape.
  const objects = new Map<number, KubernetesObject>();
  const reconciles: LoadedReconcile[] = [];
  let version = '';
  let dropped = 0;
  for (const line of lines) {
    if (line.type === 'recording') version = line.version;
    if (line.type === 'object') objects.set(line.id, frozen(open(line.object)) as KubernetesObject); // As a cache had it.
    if (line.type === 'dropped') dropped += line.count;
    if (line.type === 'reconcile') {
      const { requests, answers, decisions } = line;
      const decided = opensDecisions ? open(decisions) : decisions;
      reconciles.push({
        record: { ...line, requests: open(requests), answers: open(answers), decisions: decided },
        seen: seenIn(line, objects),
      });
    }
  }
  return { version, reconciles, dropped, isCutOff };
}

const seenIn = ({ seen }: RecordedReconcile, objects: ReadonlyMap<number, KubernetesObject>): LoadedReconcile['seen'] =>
  new Map(
    Object.entries(seen).map(([kind, ids]) => [
      kind,
      ids.flatMap((id) => {
        const object = objects.get(id);
        return object ? [object] : [];
      }),
    ]),
  );

const frozen = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, each: unknown) => Object.freeze(each)) as unknown;
