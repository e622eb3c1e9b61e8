import { createSecretKey, randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@ordinal/client';
import { hiding, lostTokens, sealedTokens } from '@ordinal/reconcilers';
import type { Token } from '@ordinal/reconcilers';
import type { Logger } from '@ordinal/runtime';
import type { TakeSlot } from '@ordinal/runtime/recording';
import { RecordingWriter } from '@ordinal/runtime/recording';
import type { OperatorSettings } from '../configuration/settings.ts';
import { RotatingFile } from './rotating-file.ts';

/** What a recorder is opened with. */
export interface RecorderParts {
  readonly settings: Pick<OperatorSettings, 'record' | 'recordBytes' | 'recordKey'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly version: string;
  /** This process among its replicas. */
  readonly identity: string;
}

/** A recording that is written to files. */
export interface OpenRecorder {
  readonly take: TakeSlot;
  /** Writes what waits, and closes the file. */
  close(): Promise<void>;
}

/** How many files there are at most: of one that is named, and in a folder. */
const filesOfName = 2;
const filesInFolder = 8;

/** The same failure is not logged again before so much time has passed, in milliseconds. */
const logAgainMs = 600_000;

/** In bytes: a shorter key can be guessed. */
const shortestKey = 32;

/** Undefined where no recording is wanted. Throws where the key can't be read, or is too short. */
export function openRecorder(parts: RecorderParts): OpenRecorder | undefined {
  const { settings, clock, log, version, identity } = parts;
  const { record, recordBytes, recordKey } = settings;
  if (record === '') return undefined;
  const isFolder = record.endsWith('/') || statSync(record, { throwIfNoEntry: false })?.isDirectory() === true;
  const path = isFolder ? join(record, `${identity.replaceAll(/[^\w.-]/g, '_')}.rec.zst`) : record;
  const files = isFolder ? filesInFolder : filesOfName;
  const file = new RotatingFile(path, files);
  let loggedAt = -Infinity;
  const writer = new RecordingWriter({
    ...{ clock, version, sink: file, hide: hiding(tokensOf(recordKey)), fileBytes: Math.floor(recordBytes / files) },
    elapsed: () => performance.now(),
    cpu: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    },
    onFailure: (error) => {
      if (clock.now() - loggedAt < logAgainMs) return;
      loggedAt = clock.now();
      log.error(
        { path, error: error instanceof Error ? error.message : String(error) },
        'the recording can’t be written',
      );
    },
  });
  log.info({ path, bytes: recordBytes, hidden: recordKey === '' ? 'lost' : 'sealed' }, 'reconciles are recorded');
  const close = async (): Promise<void> => {
    await writer.close();
    await file.close();
  };
  return { take: writer.take, close };
}

function tokensOf(path: string): Token {
  if (path === '') return lostTokens(createSecretKey(randomBytes(32)));
  const key = readFileSync(path);
  if (key.length < shortestKey) throw new RangeError(`--record-key ${path} has fewer than ${shortestKey} bytes`);
  return sealedTokens(createSecretKey(key));
}
