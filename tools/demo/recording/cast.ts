/** What was printed, line by line, and when. */
export interface Cast {
  readonly lines: readonly { readonly seconds: number; readonly text: string }[];
}

/** Reads an asciicast (version 2) whose events are whole lines. */
export function parseCast(text: string): Cast {
  const [, ...events] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  return {
    // Each event is its time, its kind and what was printed.
    lines: (events as [number, string, string][]).map(([seconds, , printed]) => ({
      seconds,
      text: printed.replace(/\r\n$/, ''),
    })),
  };
}
