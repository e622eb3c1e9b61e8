import { describe, expect, test } from 'vitest';
import { ask } from './ask.ts';
import { MetricLines } from './metric-lines.ts';
import { sampleOf } from './metric-text.ts';
import type { Characters } from './metric-text.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const mebi = 1024 * 1024;
const linesOf = (name: string, labels = {}): MetricLines => new MetricLines({ name, labels });

/** The same numbers for every run: who looks for a failure finds it again. */
function randomBytes(size: number): Buffer {
  let state = 0x2545f491;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  };
  return Buffer.from(Array.from({ length: size }, next));
}

const fill = (size: number, text: string): string => text.repeat(Math.ceil(size / text.length)).slice(0, size);

/** Pages that were long work for a regular expression, or could be for another reader. Of a metric `m`. */
const pages = (size: number): Readonly<Record<string, Uint8Array>> => ({
  'a name and spaces': bytes(`m${fill(size, ' ')}`),
  'many names and spaces': bytes(fill(size, `m${' '.repeat(2_000)}\n`)),
  'a label without end': bytes(`m{a="${fill(size, 'x')}`),
  'labels without end': bytes(`m{${fill(size, 'a="b",')}`),
  'a label name without end': bytes(`m{${fill(size, 'a')}`),
  'open quotes': bytes(fill(size, 'm{a="\n')),
  'a value without end': bytes(`m ${fill(size, '1')}`),
  'one line of something else': bytes(fill(size, 'x')),
  newlines: bytes(fill(size, '\n')),
  names: bytes(fill(size, 'm\n')),
  quotes: bytes(`m{a=${fill(size, '"')}`),
  backslashes: bytes(`m{a="${fill(size, '\\')}`),
  NULs: Buffer.alloc(size),
  'random bytes': randomBytes(size),
  comments: bytes(fill(size, '# EOFx\n# HELP m x\n')),
});

/** The array, with each look at a byte counted. */
function counted(chunk: Uint8Array): { readonly chunk: Uint8Array; readonly looks: () => number } {
  let looks = 0;
  const proxy = new Proxy(chunk, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks += 1;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { chunk: proxy, looks: () => looks };
}

function countedText(text: string): { readonly line: Characters; readonly looks: () => number } {
  let looks = 0;
  const charCodeAt = (index: number): number => {
    looks += 1;
    return text.charCodeAt(index);
  };
  const slice = (start: number, end: number): string => {
    looks += end - start;
    return text.slice(start, end);
  };
  return { line: { length: text.length, charCodeAt, slice }, looks: () => looks };
}

describe.each(Object.keys(pages(1)))('a page of %s', (kind) => {
  test('is work in proportion to its length, wherever it is cut', () => {
    for (const size of [8 * 1024, 64 * 1024]) {
      const page = pages(size)[kind]!; // One of its own keys.
      for (const cut of [1_000, 65_536]) {
        const reader = linesOf('m');
        let looks = 0;
        try {
          for (let at = 0; at < page.length; at += cut) {
            const piece = counted(page.subarray(at, at + cut));
            const goesOn = reader.push(piece.chunk);
            looks += piece.looks();
            if (!goesOn) break;
          }
          reader.text();
        } catch (error) {
          expect(error).toMatchObject({ code: 'ReplyTooLarge' });
        }
        expect(looks).toBeLessThan(3 * page.length + 100);
      }
    }
  });

  test('is work in proportion to its length when it is one line', () => {
    const text = Buffer.from(pages(256 * 1024)[kind]!).toString('latin1'); // One of its own keys.
    const { line, looks } = countedText(text);
    sampleOf(line, 'm');
    expect(looks()).toBeLessThan(6 * text.length + 100);
  });
});

describe('the lines of a metric', () => {
  const page =
    '# HELP lag x\n# TYPE lag gauge\nlag{a="x\\"}y",b="\\n"} 1.5e3 1700000000\nlag 4000\nlagging 5000\nla 1\nlag\t4\nx lag 6000\nlag{a="b",} 6\n\nlag 7\n# EOF\nlag 7000\n';

  test.each([1, 2, 3, 7, 1_000])('are the same when it comes in pieces of %i bytes', (cut) => {
    const reader = linesOf('lag');
    for (let at = 0; at < page.length; at += cut) if (!reader.push(bytes(page.slice(at, at + cut)))) break;
    expect(reader.text()).toBe('lag 4000');
  });

  test('are not taken for those of a short name in a comment', () => {
    const reader = linesOf('x');
    reader.push(bytes('# x 1\n#x 2\nx 3\n'));
    expect(reader.text()).toBe('x 3');
  });

  test('of a page that breaks off are those that came', () => {
    const reader = linesOf('lag');
    expect(reader.push(bytes('lag 1\nlag 2'))).toBe(true);
    expect(reader.text()).toBe('lag 2');
    expect(reader.text()).toBe('lag 2');
  });

  test.each([
    ['the largest', 'lag -Inf\nlag -3\nlag -2\nlag -5\n', 'lag -2'],
    ['the first of equal ones', 'lag{a="1"} 3\nlag{a="2"} 3\n', 'lag{a="1"} 3'],
    ['one that is not a number', 'lag 3\nlag NaN\nlag +Inf\n', 'lag NaN'],
    ['minus infinity, where there is no other', 'lag -Inf\n', 'lag -Inf'],
    ['none, where none can be read', 'lag\nlag{ 3\nlag x\n', ''],
    ['the one with characters of several bytes', 'lag{a="ü€😀"} 3\n', 'lag{a="ü€😀"} 3'],
  ])('that is kept is %s', (_what, page, kept) => {
    for (const cut of [1, 2, 5, 100]) {
      const reader = linesOf('lag');
      for (let at = 0; at < bytes(page).length; at += cut) reader.push(bytes(page).subarray(at, at + cut));
      expect(reader.text()).toBe(kept);
    }
  });

  test('has the labels that are wanted', () => {
    const reader = linesOf('lag', { a: 'x', b: 'y' });
    reader.push(bytes('lag 9\nlag{a="x"} 8\nlag{b="y",c="z",a="x"} 1\nlag{a="x",b="y"} 2\nlag{a="z",b="y"} 3\n'));
    expect(reader.text()).toBe('lag{a="x",b="y"} 2');
  });

  test.each([
    ['the page', fill(4 * mebi + 1, 'other 1\n')],
    ['a line', `lag{a="${fill(16 * 1024, 'x')}"} 1\n`],
    ['the list of samples', fill(6 * 10_001, 'lag 1\n')],
    ['the list of samples with other labels', fill(13 * 10_001, 'lag{a="b"} 1\n')],
    ['the list of lines that are no samples', fill(6 * 10_001, 'lag x\n')],
  ])('end with a failure where %s is too long', (_what, text) => {
    expect(() => linesOf('lag').push(bytes(text))).toThrow(expect.objectContaining({ code: 'ReplyTooLarge' }) as Error);
  });
});

test('a sample is read with its labels, escapes and time stamp', () => {
  const labels = { a: 'x"}y', b: '\n' };
  expect(sampleOf('lag{a="x\\"}y",b="\\n"} 1.5e3 1700000000', 'lag')).toEqual({ name: 'lag', labels, value: 1500 });
});

test.each([
  ['lag{a="b"}1', 1],
  ['lag  {a = "b" , c="d"}  2  1700000000', 2],
  ['lag{} 3', 3],
  ['lag 4\r', 4],
  ['lag{a="b" 5', undefined],
  ['lag{a=b} 6', undefined],
  ['lag{="b"} 7', undefined],
  ['lag{a="b",,} 8', undefined],
  ['lag', undefined],
  ['lag ', undefined],
  ['lag{a="b"}', undefined],
  ['lag x', undefined],
  [`lag ${'1'.repeat(65)}`, undefined],
  [`lag{${Array.from({ length: 64 }, (_, index) => `a${index}="b"`).join(',')}} 9`, 9],
  [`lag{${Array.from({ length: 65 }, (_, index) => `a${index}="b"`).join(',')}} 9`, undefined],
])('%s', (line, value) => {
  expect(sampleOf(line, 'lag')?.value).toBe(value);
});

test('a metric’s page that is too large is a no from a pod that does answer', async () => {
  const request = { path: '/', port: 80, scheme: 'HTTP', method: 'GET', via: 'PodIP' } as const;
  const answer = await ask(
    { kind: 'metric', metric: { request, name: 'lag', labels: {}, max: 5 }, timeoutMs: 1_000 },
    { namespace: 'shop', name: 'a', ip: '10.0.0.1' },
    {
      signal: new AbortController().signal,
      outside: (work) => work(),
      probes: {
        exec: () => Promise.reject(new Error('not asked')),
        http: (_pod, _request, { reader }) => {
          reader?.().push(bytes(fill(5 * mebi, 'x')));
          return Promise.resolve({ status: 200, body: '' });
        },
      },
    },
  );
  expect(answer).toEqual({ ok: false, message: 'the page is longer than 4194304 bytes', unusable: true });
});
