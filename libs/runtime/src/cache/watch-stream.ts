import { joinSignals } from '@ordinal/client';
import type { Instant, KubernetesObject, WatchEvent, WatchOptions } from '@ordinal/client';
import { kindName } from './key.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import { watchSilence } from './silence.ts';
import { SilentWatchError } from './watch-failure.ts';

/** One watch: from where, and what it is given up by. */
export interface WatchStreamOptions {
  readonly resourceVersion: string | undefined;
  /** When the server was last heard of. */
  readonly lastSign: () => Instant;
  /** The server has accepted the watch. */
  readonly onOpen: () => void;
  readonly signal: AbortSignal;
}

/**
 * The events of one watch, bookmarks included. It ends as the server ends it, or when the signal is aborted; throws what breaks it, and a `SilentWatchError` when it
 * has been silent for too long.
 */
export async function* watchStream(
  { descriptor, source, selection, project, clock, random, timing }: ReflectorOptions,
  { resourceVersion, lastSign, onOpen, signal }: WatchStreamOptions,
): AsyncGenerator<WatchEvent<KubernetesObject>, void, undefined> {
  const silence = new AbortController();
  const either = joinSignals(signal, silence.signal);
  const giveUp = (silentMs: number): void => silence.abort(new SilentWatchError(kindName(descriptor), silentMs));
  const watchdog = watchSilence({ clock, silenceMs: timing.silenceMs, lastSign }, giveUp);
  const options: WatchOptions = {
    ...selection,
    project,
    signal: either.signal,
    ...(resourceVersion !== undefined && { resourceVersion }),
    allowWatchBookmarks: true,
    onOpen,
    timeoutSeconds: Math.round((timing.watchMs * (1 + random())) / 1000),
  };
  try {
    for await (const event of source.watch(options)) {
      if (signal.aborted) break;
      yield event;
    }
  } catch (error) {
    throw silence.signal.aborted ? silence.signal.reason : error;
  } finally {
    watchdog.stop();
    either.release();
  }
  if (silence.signal.aborted) throw silence.signal.reason;
}
