import type { Cast } from './cast.ts';

/** Text of one color. The code is that of the terminal, 0 for none. */
export interface Span {
  readonly code: number;
  readonly text: string;
}

/** All lines that were ever on the terminal, from the first on, as they were from a time on. */
export interface Frame {
  readonly seconds: number;
  readonly lines: readonly (readonly Span[])[];
}

interface Cell {
  readonly code: number;
  readonly character: string;
}

const escape = '\u001b';
/** A control sequence, or one character. */
const piece = new RegExp(`${escape}\\[(\\d*)([A-Za-z])|([\\s\\S])`, 'gu');
/** What is printed within this time is one picture: the table is erased and drawn again by several writes. In seconds. */
const oneFrame = 0.05;

/** The codes by which a color or a weight ends. */
const ends: readonly number[] = [22, 39];

/** A terminal as far as our programs need one: lines that wrap, colors, the cursor up, and erasing what is below. */
export class Terminal {
  readonly #columns: number;
  #lines: Cell[][] = [[]];
  #row = 0;
  #column = 0;
  #code = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** Takes output. */
  write(text: string): void {
    for (const [, count = '', command, character] of text.matchAll(piece)) {
      if (character !== undefined) this.#put(character);
      else if (command === 'm') this.#code = ends.includes(Number(count)) ? 0 : Number(count);
      else if (command === 'A') this.#row = Math.max(0, this.#row - Number(count || 1));
      else if (command === 'J') this.#eraseBelow();
      else throw new Error(`this terminal does not know the control sequence ${command ?? ''}`);
    }
  }

  /** Its lines, without empty ones at the end. */
  lines(): readonly (readonly Span[])[] {
    const last = this.#lines.findLastIndex((cells) => cells.length > 0);
    return this.#lines.slice(0, last + 1).map(spansOf);
  }

  #put(character: string): void {
    if (character === '\r') this.#column = 0;
    else if (character === '\n') this.#goTo(this.#row + 1);
    else {
      if (this.#column === this.#columns) this.#goTo(this.#row + 1);
      const line = (this.#lines[this.#row] ??= []);
      while (line.length < this.#column) line.push({ code: 0, character: ' ' });
      line[this.#column] = { code: this.#code, character };
      this.#column += 1;
    }
  }

  #goTo(row: number): void {
    this.#row = row;
    this.#column = 0;
    this.#lines[row] ??= [];
  }

  #eraseBelow(): void {
    this.#lines = this.#lines.slice(0, this.#row + 1);
    this.#lines[this.#row]?.splice(this.#column);
  }
}

function spansOf(cells: readonly Cell[]): readonly Span[] {
  const spans: { code: number; text: string }[] = [];
  for (const { code, character } of cells) {
    const last = spans.at(-1);
    if (last?.code === code) last.text += character;
    else spans.push({ code, text: character });
  }
  return spans;
}

/** What the terminal showed, a frame for each time at which something was printed. */
export function framesOf({ columns, events }: Cast): readonly Frame[] {
  const terminal = new Terminal(columns);
  const frames: Frame[] = [];
  for (const { seconds, text } of events) {
    terminal.write(text);
    const last = frames.at(-1);
    const isSame = last !== undefined && seconds - last.seconds < oneFrame;
    const frame = { seconds: isSame ? last.seconds : seconds, lines: terminal.lines() };
    frames.splice(isSame ? -1 : frames.length, isSame ? 1 : 0, frame);
  }
  return frames;
}
