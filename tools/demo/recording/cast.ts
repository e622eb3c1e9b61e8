/** What a terminal was sent, and when. */
export interface Cast {
  readonly columns: number;
  readonly rows: number;
  readonly events: readonly CastEvent[];
}

/** A piece of output, with the seconds since the beginning. */
export interface CastEvent {
  readonly seconds: number;
  readonly text: string;
}

/** Reads an asciicast (version 2). */
export function parseCast(text: string): Cast {
  const [header, ...events] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  const { width, height } = header as { readonly width: number; readonly height: number }; // The format's first line.
  return {
    columns: width,
    rows: height,
    // Each event is its time, its kind and what was printed.
    events: (events as [number, string, string][]).map(([seconds, , printed]) => ({ seconds, text: printed })),
  };
}

/** Writes an asciicast (version 2). */
export function castText({ columns, rows, events }: Cast, title: string): string {
  const header = { version: 2, width: columns, height: rows, title };
  const lines = events.map(({ seconds, text }) => [Number(seconds.toFixed(3)), 'o', text]);
  return `${[header, ...lines].map((line) => JSON.stringify(line)).join('\n')}\n`;
}
