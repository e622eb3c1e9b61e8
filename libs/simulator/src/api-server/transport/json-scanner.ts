/** What may come next, and what the scanner says of anything else. */
type Step = (byte: number) => Step | string;

const code = (character: string): number => character.charCodeAt(0);
const [quote, backslash, colon, comma] = [code('"'), code('\\'), code(':'), code(',')];
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
const isDigit = (byte: number): boolean => byte >= code('0') && byte <= code('9');
const isHex = (byte: number): boolean => isDigit(byte) || /[a-fA-F]/.test(String.fromCharCode(byte));

/** As in Go's `encoding/json`. */
const maxDepth = 10_000;

/**
 * Finds what is wrong with a text, byte by byte, in the states and words of Go's `encoding/json` (scanner.go): it says what it did not expect and where,
 * and each kind of place has words of its own.
 */
export class JsonScanner {
  readonly #bytes: Uint8Array;
  /** What is open: `key` and `value` of an object, or an array. */
  readonly #open: ('key' | 'value' | 'array')[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Undefined where nothing is wrong. */
  problem(): string | undefined {
    let step: Step = this.#value;
    for (const byte of this.#bytes) {
      const next = step(byte);
      if (typeof next === 'string') return `invalid character ${quoted(byte)} ${next}`;
      step = next;
    }
    if (step === this.#end) return undefined;
    // A number ends where the text does: the scanner asks what a space would be.
    const next = step(0x20);
    if (typeof next === 'string') return `invalid character ' ' ${next}`;
    return next === this.#end ? undefined : 'unexpected end of JSON input';
  }

  readonly #value: Step = (byte) => {
    if (isSpace(byte)) return this.#value;
    switch (String.fromCharCode(byte)) {
      case '{':
        return this.#opened('key', this.#firstKey);
      case '[':
        return this.#opened('array', this.#firstItem);
      case '"':
        return this.#text;
      case '-':
        return this.#sign;
      case '0':
        return this.#whole;
      case 't':
        return this.#literal('true', 1);
      case 'f':
        return this.#literal('false', 1);
      case 'n':
        return this.#literal('null', 1);
      default:
        return isDigit(byte) ? this.#digits : 'looking for beginning of value';
    }
  };

  #opened(what: 'key' | 'array', next: Step): Step | string {
    this.#open.push(what);
    return this.#open.length > maxDepth ? 'exceeded max depth' : next;
  }

  #closed(): Step {
    this.#open.pop();
    return this.#open.length === 0 ? this.#end : this.#after;
  }

  readonly #firstItem: Step = (byte) => {
    if (isSpace(byte)) return this.#firstItem;
    return byte === code(']') ? this.#closed() : this.#value(byte);
  };

  readonly #firstKey: Step = (byte) => {
    if (isSpace(byte)) return this.#firstKey;
    return byte === code('}') ? this.#closed() : this.#key(byte);
  };

  readonly #key: Step = (byte) => {
    if (isSpace(byte)) return this.#key;
    return byte === quote ? this.#text : 'looking for beginning of object key string';
  };

  /** Behind a value or key. */
  readonly #after: Step = (byte) => {
    const last = this.#open.length - 1;
    if (last < 0) return this.#end(byte);
    if (isSpace(byte)) return this.#after;
    switch (this.#open[last]) {
      case 'key':
        if (byte !== colon) return 'after object key';
        this.#open[last] = 'value';
        return this.#value;
      case 'value':
        if (byte === code('}')) return this.#closed();
        if (byte !== comma) return 'after object key:value pair';
        this.#open[last] = 'key';
        return this.#key;
      default:
        if (byte === code(']')) return this.#closed();
        return byte === comma ? this.#value : 'after array element';
    }
  };

  readonly #end: Step = (byte) => (isSpace(byte) ? this.#end : 'after top-level value');

  /** Where a value has ended that nothing follows of itself, such as a text. */
  #ended(): Step {
    return this.#open.length === 0 ? this.#end : this.#after;
  }

  readonly #text: Step = (byte) => {
    if (byte === quote) return this.#ended();
    if (byte === backslash) return this.#escape;
    return byte < 0x20 ? 'in string literal' : this.#text;
  };

  readonly #escape: Step = (byte) => {
    if (byte === code('u')) return this.#hexadecimal(4);
    return 'bfnrt\\/"'.includes(String.fromCharCode(byte)) ? this.#text : 'in string escape code';
  };

  #hexadecimal(left: number): Step {
    if (left === 0) return this.#text;
    return (byte) => (isHex(byte) ? this.#hexadecimal(left - 1) : 'in \\u hexadecimal character escape');
  }

  readonly #sign: Step = (byte) => {
    if (byte === code('0')) return this.#whole;
    return isDigit(byte) ? this.#digits : 'in numeric literal';
  };

  readonly #digits: Step = (byte) => (isDigit(byte) ? this.#digits : this.#whole(byte));

  /** Behind the whole part of a number. */
  readonly #whole: Step = (byte) => (byte === code('.') ? this.#point : this.#fraction(byte));

  readonly #point: Step = (byte) => (isDigit(byte) ? this.#decimals : 'after decimal point in numeric literal');

  readonly #decimals: Step = (byte) => (isDigit(byte) ? this.#decimals : this.#fraction(byte));

  readonly #fraction: Step = (byte) =>
    byte === code('e') || byte === code('E') ? this.#exponentSign : this.#after(byte);

  readonly #exponentSign: Step = (byte) =>
    byte === code('+') || byte === code('-') ? this.#exponent : this.#exponent(byte);

  readonly #exponent: Step = (byte) => (isDigit(byte) ? this.#power : 'in exponent of numeric literal');

  readonly #power: Step = (byte) => (isDigit(byte) ? this.#power : this.#after(byte));

  #literal(word: string, at: number): Step {
    if (at === word.length) return this.#ended();
    const expected = word.charAt(at);
    return (byte) =>
      byte === code(expected) ? this.#literal(word, at + 1) : `in literal ${word} (expecting '${expected}')`;
  }
}

/** A byte as Go quotes it. */
function quoted(byte: number): string {
  const named: ReadonlyMap<number, string> = new Map([
    [0x27, "\\'"],
    [0x5c, '\\\\'],
    [0x09, '\\t'],
    [0x0a, '\\n'],
    [0x0d, '\\r'],
    [0x07, '\\a'],
    [0x08, '\\b'],
    [0x0c, '\\f'],
    [0x0b, '\\v'],
  ]);
  const name = named.get(byte);
  if (name !== undefined) return `'${name}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, '0')}'`;
  if ((byte > 0x7f && byte <= 0xa0) || byte === 0xad) return `'\\u${byte.toString(16).padStart(4, '0')}'`;
  return `'${String.fromCharCode(byte)}'`;
}
