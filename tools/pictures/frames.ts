import { drawing } from '../demo/recording/drawing.ts';
import type { Frame, Span } from '../demo/recording/terminal.ts';
import { Terminal } from '../demo/recording/terminal.ts';

/** What a command has printed, and when. */
export interface Printed {
  /** Seconds since the beginning of the picture. */
  readonly seconds: number;
  readonly command: string;
  readonly out: string;
}

type Lines = Frame['lines'];

/** How wide the terminal of the pictures is. */
export const columns = 112;
const prompt = (command: string): readonly Span[] => [
  { code: 2, text: '$ ' },
  { code: 1, text: command },
];

function linesOf({ command, out }: Printed): Lines {
  const terminal = new Terminal(columns);
  terminal.write(out);
  return [prompt(command), ...terminal.lines()];
}

const drawn = (frames: readonly Frame[], title: string): string =>
  drawing(frames, { columns, rows: Math.max(...frames.map(({ lines }) => lines.length)), title });

/** A drawing of one command after the other. */
export function still(printed: readonly Printed[], title: string): string {
  const lines = printed.flatMap((one, index) => (index === 0 ? linesOf(one) : [[], ...linesOf(one)]));
  return drawn([{ seconds: 0, lines }], title);
}

/** A drawing that plays what one command has printed, each over the one before. */
export function moving(printed: readonly Printed[], title: string): string {
  const frames: Frame[] = [];
  for (const one of printed) {
    const lines = linesOf(one);
    if (JSON.stringify(lines) !== JSON.stringify(frames.at(-1)?.lines)) frames.push({ seconds: one.seconds, lines });
  }
  return drawn(frames, title);
}
