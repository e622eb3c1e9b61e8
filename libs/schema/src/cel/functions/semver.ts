import { CelError } from '../values/error.ts';
import { Opaque } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { global, method } from './callee.ts';
import type { Library, Named } from './callee.ts';

/** A version by semver.org; what is built from does not count in its order. */
class Semver extends Opaque {
  override readonly typeName = 'kubernetes.Semver';
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly bigint[], prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  override equals(other: Opaque): boolean {
    return other instanceof Semver && this.compare(other) === 0;
  }

  compare(other: Semver): number {
    for (const [i, number] of this.numbers.entries()) {
      const theirs = other.numbers[i] ?? 0n;
      if (number !== theirs) return number < theirs ? -1 : 1;
    }
    return comparePrerelease(this.prerelease, other.prerelease);
  }
}

function comparePrerelease(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length);
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = comparePart(a[i] ?? '', b[i] ?? '');
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

function comparePart(a: string, b: string): number {
  const numeric = /^\d+$/;
  if (numeric.test(a) && numeric.test(b)) return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
  if (numeric.test(a) !== numeric.test(b)) return numeric.test(a) ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

const number = '(0|[1-9]\\d*)';
const part = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const form = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${part}(?:\\.${part})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

function parseSemver(text: string): Semver {
  const match = form.exec(text);
  const numbers = (match ?? []).slice(1, 4).map(BigInt);
  if (text === '') throw new CelError('Version string empty');
  if (text.split('.').length < 3) throw new CelError('No Major.Minor.Patch elements found');
  if (match === null || numbers.some((value) => value >= 2n ** 64n)) {
    throw new CelError(`invalid semantic version ${JSON.stringify(text)}`);
  }
  return new Semver(numbers, match[4]?.split('.') ?? []);
}

/** Takes a `v` and leading zeros away and fills in missing minor and patch numbers. */
function normalize(text: string): string {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.');
  const parts = [major, minor, rest.length > 0 ? rest.join('.') : undefined].filter((each) => each !== undefined);
  const trimmed = parts.map((each) => (each.length > 1 ? each.replace(/^0+/, '').replace(/^(?!\d)/, '0') : each));
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) ?? ''))
    throw new CelError('short version cannot contain PreRelease/Build meta data');
  while (trimmed.length < 3) trimmed.push('0');
  return trimmed.join('.');
}

function read(text: Value | undefined, normalized: Value | undefined): Semver | undefined {
  if (typeof text !== 'string' || (normalized !== undefined && typeof normalized !== 'boolean')) return undefined;
  return parseSemver(normalized === true ? normalize(text) : text);
}

function compared(apply: (order: number) => Value, result: string): Named {
  return method(2, (a, b) => (a instanceof Semver && b instanceof Semver ? apply(a.compare(b)) : undefined), result);
}

function numberAt(index: number): Named {
  return method(1, (version) => (version instanceof Semver ? version.numbers[index] : undefined), 'int');
}

/** Versions. */
export const semvers: Library = {
  semver: global([1, 2], read, 'kubernetes.Semver'),
  isSemver: global(
    [1, 2],
    (text, normalized) => {
      try {
        return read(text, normalized) === undefined ? undefined : true;
      } catch (error) {
        if (error instanceof CelError) return false;
        throw error;
      }
    },
    'bool',
  ),
  major: numberAt(0),
  minor: numberAt(1),
  patch: numberAt(2),
  isLessThan: compared((order) => order < 0, 'bool'),
  isGreaterThan: compared((order) => order > 0, 'bool'),
  compareTo: compared((order) => BigInt(order), 'int'),
};
