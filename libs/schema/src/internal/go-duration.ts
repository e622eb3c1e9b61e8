const nanoseconds = new Map<string, bigint>([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

/** Of a whole number with more digits, 2^63 nanoseconds would be less. */
const maxDigits = 19;

/** Digits of a fraction behind these are no nanosecond of any unit. */
const tellingDigits = 32;

/** A duration in nanoseconds as Go's `time.ParseDuration` reads it (`1h15m30.5s`); undefined where Go refuses it. */
export function parseGoDuration(text: string): bigint | undefined {
  const negative = text.startsWith('-');
  const body = text.replace(/^[+-]/, '');
  if (body === '0') return 0n;
  if (!/^(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined;
  let total = 0n;
  for (const [, digits = '', part = '', unit = ''] of body.matchAll(/0*([0-9]*)\.?([0-9]*)(ns|us|µs|μs|ms|s|m|h)/g)) {
    if (digits.length > maxDigits) return undefined;
    const factor = nanoseconds.get(unit) ?? 0n;
    const [whole, fraction] = [digits, part.slice(0, tellingDigits)];
    total += BigInt(whole || '0') * factor + (BigInt(fraction || '0') * factor) / 10n ** BigInt(fraction.length);
    if (total > 2n ** 63n) return undefined;
  }
  if (!negative && total > 2n ** 63n - 1n) return undefined;
  return negative ? -total : total;
}
