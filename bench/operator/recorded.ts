// The contender with the flight recorder of the operator, as `--record` opens it. Loaded where RECORD is set.
import type { Transport } from '@ordinal/client';
import { systemClock } from '@ordinal/client';
import type { ControllerDefinition, Logger } from '@ordinal/runtime';
import { silentLogger } from '@ordinal/runtime';
import { FlightRecorder } from '@ordinal/runtime/recording';
import { openRecorder } from '../../apps/operator/src/recording/open-recorder.ts';

/** What the contender works with where it is recorded. */
export interface RecordedContender {
  readonly transport: (inner: Transport) => Transport;
  readonly controller: (definition: ControllerDefinition) => ControllerDefinition;
  readonly close: () => Promise<void>;
}

/** Begins a recording in this file; undefined where no file is named. Throws where it can't be opened. */
export function recorded(file: string): RecordedContender | undefined {
  const error: Logger['error'] = (fields, message) =>
    void process.stderr.write(`${message}: ${JSON.stringify(fields)}\n`);
  const recording = openRecorder({
    settings: { record: file, recordBytes: 67_108_864, recordKey: '' },
    ...{ clock: systemClock, log: { ...silentLogger, error }, version: 'bench', identity: 'bench' },
  });
  if (!recording) return undefined;
  const recorder = new FlightRecorder(recording.take);
  return {
    transport: (inner) => recorder.transport(inner),
    controller: (definition) => recorder.controller(definition),
    close: () => recording.close(),
  };
}
