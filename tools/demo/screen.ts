/** Where the demo writes, and what kind of place it is. */
export interface Terminal {
  write(text: string): void;
  /** A person watches: colors, and a panel below the lines that is drawn again. */
  readonly isLive: boolean;
  readonly hasColours: boolean;
  /** How many characters a line of the panel may have. */
  readonly columns: number;
}

/** What a line is about; it decides the color. */
export type Tone = 'plain' | 'user' | 'wait' | 'good' | 'bad' | 'title';

const codes: Readonly<Record<Tone, string>> = {
  plain: '',
  user: '\u001b[36m',
  wait: '\u001b[33m',
  good: '\u001b[32m',
  bad: '\u001b[31m',
  title: '\u001b[1m',
};
const reset = '\u001b[0m';
const eraseBelow = '\u001b[J';

/** Lines that stay, each with the time since the beginning, and below them a panel that shows how things are now. */
export class Screen {
  readonly #terminal: Terminal;
  readonly #seconds: () => number;
  #panel: readonly string[] = [];

  constructor(terminal: Terminal, seconds: () => number) {
    this.#terminal = terminal;
    this.#seconds = seconds;
  }

  /** One thing that happened, and to what. */
  line(subject: string, text: string, tone: Tone = 'plain'): void {
    const head = `${this.#seconds().toFixed(1).padStart(5)} s  ${subject.padEnd(9)}  `;
    const room = this.#terminal.isLive ? this.#terminal.columns - head.length : Infinity;
    const [first = '', ...more] = wrapped(oneLine(text), room).map((piece) => this.paint(piece, tone));
    this.#print([`${head}${first}`, ...more.map((piece) => `${' '.repeat(head.length)}${piece}`)].join('\n'));
  }

  /** The beginning of a scene. */
  title(text: string): void {
    this.#print(`\n${this.paint(text, 'title')}`);
  }

  /** Text as it is, such as a table. */
  text(text: string): void {
    this.#print(text);
  }

  /** A row of a table. At a terminal it ends where the line does. */
  row(text: string, tone: Tone = 'plain'): void {
    const room = this.#terminal.isLive ? this.#terminal.columns : Infinity;
    this.#print(this.paint(text.length > room ? `${text.slice(0, room - 1)}…` : text, tone));
  }

  /** What is shown below the lines from now on. Shown to a person only: a log gets lines. */
  panel(lines: readonly string[]): void {
    if (!this.#terminal.isLive || lines.join('\n') === this.#panel.join('\n')) return;
    this.#erase();
    this.#panel = lines;
    this.#draw();
  }

  /** The text in a tone's color, where there are colors. */
  paint(text: string, tone: Tone): string {
    return this.#terminal.hasColours && codes[tone] !== '' ? `${codes[tone]}${text}${reset}` : text;
  }

  #print(text: string): void {
    this.#erase();
    this.#terminal.write(`${text}\n`);
    this.#draw();
  }

  #erase(): void {
    if (this.#panel.length > 0) this.#terminal.write(`\u001b[${this.#panel.length}A\r${eraseBelow}`);
  }

  #draw(): void {
    // A line that wraps would be erased only in part.
    for (const line of this.#panel) this.#terminal.write(`${line.slice(0, this.#terminal.columns - 1)}\n`);
  }
}

/** Text in one line, whatever it was: messages from a cluster may have several. */
export const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' / ');

/** Text in lines that have room, broken between words. */
function wrapped(text: string, room: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && longer.length <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
