import { createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { systemClock } from '@ordinal/client';
import { hiding, lostTokens, sealedTokens } from '@ordinal/reconcilers';
import { FlightRecorder, RecordingWriter } from '@ordinal/runtime/recording';
import { AssumedDatabases } from '../src/what-if/databases.ts';
import { pluginWorld } from './plugin-world.ts';
import type { PluginWorld } from './plugin-world.ts';

/** A world whose operator is recorded. */
export interface RecordedWorld extends PluginWorld {
  /** All that was recorded until now, as a file has it. */
  readonly recording: () => Promise<Uint8Array>;
}

/** Starts one. With a key, what is hidden is sealed with it. */
export async function recordedWorld(key?: KeyObject): Promise<RecordedWorld> {
  const parts: Uint8Array[] = [];
  const tokens = key ? sealedTokens(key) : lostTokens(createSecretKey(Buffer.alloc(32, 'lost')));
  const writer = new RecordingWriter({
    ...{ clock: systemClock, version: 'test', fileBytes: Number.MAX_SAFE_INTEGER, hide: hiding(tokens) },
    sink: { append: (part) => Promise.resolve(void parts.push(part)) },
    ...{ elapsed: () => performance.now(), cpu: () => 0 },
    onFailure: (error) => {
      throw error;
    },
  });
  const { accounts: providers } = new AssumedDatabases([], [{ secret: '', account: 'nowhere' }]);
  const world = await pluginWorld({ providers, recorder: new FlightRecorder(writer.take) });
  const recording = async () => {
    await writer.flush();
    return Buffer.concat(parts);
  };
  return { ...world, recording };
}
