import type { Container } from 'kubernetes-types/core/v1.js';

/** How a container's run has ended. */
export interface EndOfRun {
  readonly exitCode: number;
  /** What it has set as its message; undefined where it has set none. */
  readonly reported: string | undefined;
  /** What it has logged. */
  readonly lines: readonly string[];
}

const most = { lines: 80, letters: 2048 };

/** The message that a container ends with: what it has set or, where its policy says so, the end of the log of one that has failed. */
export function lastMessage(
  { terminationMessagePolicy }: Container,
  { exitCode, reported = '', lines }: EndOfRun,
): string | undefined {
  if (reported !== '') return reported;
  if (terminationMessagePolicy !== 'FallbackToLogsOnError' || exitCode === 0) return undefined;
  const text = lines.slice(-most.lines).join('\n').slice(-most.letters);
  return text === '' ? undefined : text;
}
