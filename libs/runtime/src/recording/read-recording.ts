import { createZstdDecompress } from 'node:zlib';
import type { RecordingLine } from './format.ts';

/** What was read of a recording. */
export interface ReadRecording {
  readonly lines: readonly RecordingLine[];
  /** The end is missing, as where the operator was killed while it wrote. */
  readonly isCutOff: boolean;
}

/** More than this is not read, in characters: a file that is larger unpacked is no recording. */
const maxLength = 1_073_741_824;

/**
 * Reads a recording: all whole lines of it.
 *
 * @throws RangeError where the file is no recording, or one of a later format.
 */
export async function readRecording(file: Uint8Array): Promise<ReadRecording> {
  const { text, isCutOff } = await unpacked(file);
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  const lines = whole.filter((line) => line !== '').map((line) => JSON.parse(line) as RecordingLine); // As the operator wrote it; the first one is looked at.
  const [first] = lines;
  if (first?.type !== 'recording') throw new RangeError('this is no recording of the operator');
  if (first.format !== 1)
    throw new RangeError(
      `this recording has format ${String(first.format)}, which a later version of kubectl ordinal reads`,
    );
  return { lines, isCutOff };
}

async function unpacked(file: Uint8Array): Promise<{ readonly text: string; readonly isCutOff: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  const stream = createZstdDecompress();
  stream.end(file);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxLength) throw new RangeError('this is no recording of the operator: it is too large');
      chunks.push(chunk);
    }
    return { text: Buffer.concat(chunks).toString(), isCutOff: false };
  } catch (error) {
    if (error instanceof RangeError || chunks.length === 0)
      throw new RangeError('this is no recording of the operator', { cause: error });
    return { text: Buffer.concat(chunks).toString(), isCutOff: true };
  }
}
