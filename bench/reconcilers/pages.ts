const size = 4 * 1024 * 1024;
const fill = (text: string): string => text.repeat(Math.ceil(size / text.length)).slice(0, size);

function randomBytes(): Buffer {
  const random = Buffer.alloc(size);
  for (let at = 0, state = 1; at < size; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    random[at] = state >>> 16;
  }
  return random;
}

/** Pages of metrics as one makes them who wants them to be much work. Of a metric `m`. */
const pages: Readonly<Record<string, () => string | Buffer>> = {
  nothing: () => '',
  'a name and 256 KiB of spaces': () => `m${' '.repeat(256 * 1024)}`,
  'spaces behind a name': () => `m${fill(' ')}`.slice(0, size),
  'lines of a name and 8 KiB of spaces': () => fill(`m${' '.repeat(8_192)}\n`),
  'a long label': () => `m{a="${fill('x')}`.slice(0, size),
  'labels of 16 KiB in each line': () => fill(`m{${'a="b",'.repeat(2_700)}} 1\n`),
  'one line of something else': () => fill('x'),
  'samples of another metric': () => fill('another_metric{path="/",code="200"} 1\n'),
  newlines: () => fill('\n'),
  names: () => fill('m\n'),
  'samples of the metric': () => fill('m 1\n'),
  '10,000 samples, the rest spaces': () => fill(' ').slice(40_000) + 'm 1\n'.repeat(10_000),
  '1 MiB of samples, the rest spaces': () => fill(' ').slice(1024 * 1024 - 3) + '\n' + 'm 1\n'.repeat(262_143),
  quotes: () => fill('"'),
  backslashes: () => fill('\\'),
  NULs: () => Buffer.alloc(size),
  'random bytes': randomBytes,
  // As chunks of one byte each.
  'chunks of one newline': () => fill('\n'),
};

/** What pages there are. */
export const pageNames: readonly string[] = Object.keys(pages);

/** The page of that name. */
export const pageOf = (name: string): string | Buffer => pages[name]?.() ?? '';
