const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimal: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const decimalSuffix = new Map(Object.entries(decimal).map(([suffix, exponent]) => [exponent, suffix]));

/** A Kubernetes quantity: its value in nanounits, and the family of suffixes it was written with. */
export interface Quantity {
  readonly nano: bigint;
  readonly format: 'binary' | 'decimal' | 'exponent';
}

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/;

/** Reads a quantity; undefined where the text is none. Finer than nano is rounded up. */
export function parseQuantity(text: string): Quantity | undefined {
  const match = pattern.exec(text);
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match ?? [];
  if (!match || whole + fraction === '') return undefined;
  const digits = BigInt(whole + fraction);
  const places = fraction.length;
  const power = binary.indexOf(suffix);
  const isBinary = suffix !== '' && power > 0;
  const isExponent = /^[eE][+-]?\d/.test(suffix);
  const exponent = isBinary ? 0 : isExponent ? Number(suffix.slice(1)) : (decimal[suffix] ?? 0);
  const scaled = isBinary ? digits * 1024n ** BigInt(power) : digits;
  const shift = 9 + exponent - places;
  const divisor = 10n ** BigInt(Math.max(0, -shift));
  const magnitude = shift >= 0 ? scaled * 10n ** BigInt(shift) : (scaled + divisor - 1n) / divisor;
  return {
    nano: sign === '-' ? -magnitude : magnitude,
    format: isBinary ? 'binary' : isExponent ? 'exponent' : 'decimal',
  };
}

/** Writes a quantity as the API server does: the largest suffix that leaves a whole number. */
export function formatQuantity({ nano, format }: Quantity): string {
  if (nano === 0n) return '0';
  const unit = 1_000_000_000n;
  const magnitude = nano < 0n ? -nano : nano;
  const sign = nano < 0n ? '-' : '';
  // Below 1024, or with a fraction, the decimal form says it better.
  if (format === 'binary' && magnitude % unit === 0n && magnitude / unit >= 1024n) {
    let value = magnitude / unit;
    let power = 0;
    while (value % 1024n === 0n && power < binary.length - 1) {
      value /= 1024n;
      power += 1;
    }
    return `${sign}${value}${binary[power] ?? ''}`;
  }
  let value = magnitude;
  let exponent = -9;
  while (value % 1000n === 0n && exponent < 18) {
    value /= 1000n;
    exponent += 3;
  }
  if (format === 'exponent') return exponent === 0 ? `${sign}${value}` : `${sign}${value}e${exponent}`;
  return `${sign}${value}${decimalSuffix.get(exponent) ?? ''}`;
}

/** The canonical text of a quantity; undefined where the text is none. */
export function canonicalQuantity(text: string): string | undefined {
  const quantity = parseQuantity(text);
  return quantity && formatQuantity(quantity);
}

/** Whether one quantity is larger than another; what is no quantity counts as nothing. */
export const isLargerQuantity = (one: string, other: string): boolean =>
  (parseQuantity(one)?.nano ?? 0n) > (parseQuantity(other)?.nano ?? 0n);

/** The sum of two quantities, in the form of the first; in that of the other where the first is nothing. */
export const addedQuantity = (one: Quantity, other: Quantity): Quantity => ({
  nano: one.nano + other.nano,
  format: one.nano === 0n ? other.format : one.format,
});
