import { describe, expect, test } from 'vitest';
import { checkAddress } from './endpoint-policy.ts';
import { refusedNetworks } from './refused-networks.ts';

/** A network as two numbers, reckoned here apart from the code that is tested. */
interface Range {
  readonly bits: 32 | 128;
  readonly first: bigint;
  readonly last: bigint;
}

function groupsOf(text: string): readonly bigint[] {
  const [head = '', tail] = text.split('::');
  const read = (part: string): bigint[] => (part === '' ? [] : part.split(':').map((group) => BigInt(`0x${group}`)));
  const [before, after] = [read(head), read(tail ?? '')];
  return [...before, ...new Array<bigint>(8 - before.length - after.length).fill(0n), ...after];
}

function rangeOf(network: string): Range {
  const [base = '', length = ''] = network.split('/');
  const bits = base.includes(':') ? 128 : 32;
  const first = base.includes(':')
    ? groupsOf(base).reduce((sum, group) => (sum << 16n) + group, 0n)
    : base.split('.').reduce((sum, byte) => (sum << 8n) + BigInt(byte), 0n);
  return { bits, first, last: first + (1n << BigInt(bits - Number(length))) - 1n };
}

function textOf(address: bigint, bits: 32 | 128): string {
  const size = bits === 32 ? 8n : 16n;
  const parts = Array.from(
    { length: bits === 32 ? 4 : 8 },
    (_, index, count = bits === 32 ? 4 : 8) => (address >> (size * BigInt(count - 1 - index))) & ((1n << size) - 1n),
  );
  return bits === 32 ? parts.join('.') : parts.map((part) => part.toString(16)).join(':');
}

const ranges = refusedNetworks.map(({ network }) => ({ network, ...rangeOf(network) }));
const mapped = rangeOf('::ffff:0:0/96');
const isRefused = (address: string): boolean => {
  try {
    checkAddress(address, {});
    return false;
  } catch {
    return true;
  }
};

test.each(refusedNetworks)('$network is a network, and has a name and a source', ({ network, name, source }) => {
  const { first, last, bits } = rangeOf(network);
  // The base has no bits below its length.
  expect(first & (last - first)).toBe(0n);
  expect(last).toBeLessThan(1n << BigInt(bits));
  expect(name).not.toBe('');
  expect(source).not.toBe('');
});

describe.each(ranges)('$network', ({ network, bits, first, last }) => {
  test.each([
    ['first', first],
    ['last', last],
  ])('is refused at its %s address', (_end, address) => {
    expect(() => checkAddress(textOf(address, bits), {})).toThrow(
      expect.objectContaining({ code: 'EndpointRefused' }) as Error,
    );
  });

  test.each([
    ['before', first - 1n],
    ['behind', last + 1n],
  ])('does not reach the address %s it', (_side, address) => {
    if (address < 0n || address >= 1n << BigInt(bits)) return;
    // What is beside it belongs to another row, or is not refused.
    const isOfAnother = ranges.some(
      (other) => other.network !== network && other.bits === bits && other.first <= address && address <= other.last,
    );
    const isMapped = bits === 128 && mapped.first <= address && address <= mapped.last;
    if (!isMapped) expect(isRefused(textOf(address, bits))).toBe(isOfAnother);
  });
});

// Named one by one: a row that is taken out of the table is missed here.
test.each([
  '0.0.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '64:ff9b::1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002::1',
  '3fff::1',
  '5f00::1',
  'fd00:ec2::23',
  'fd00:ec2::253',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '192.31.196.1',
  '192.52.193.1',
  '192.175.48.1',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  'fd00:a9fe:a9fe::1',
  'fd00:100::100:200',
  '100:0:0:1::1',
  '2620:4f:8000::1',
  '200::1',
  '400::1',
  '800::1',
  '1000::1',
  '6000::1',
  '8000::1',
  'a000::1',
  'c000::1',
  'e000::1',
  'f000::1',
  'f800::1',
  'fe00::1',
])('%s may not be called', (address) => {
  expect(isRefused(address)).toBe(true);
});

test.each([
  '1.1.1.1',
  '9.255.255.255',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.100.100.199',
  '100.100.100.201',
  '100.127.255.255',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '172.16.0.0',
  '172.31.255.255',
  '192.168.0.0',
  '192.168.255.255',
  '223.255.255.255',
  '2001:200::',
  '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:db9::',
  '2003::',
  '2606:4700::1111',
  '3ffe:ffff::1',
  '3fff:1000::',
  'fc00::1',
  'fd00:ec1:ffff:ffff:ffff:ffff:ffff:ffff',
  'fd00:ec3::',
  'fd20:ce::253',
  'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '::ffff:10.0.0.1',
])('%s may be called', (address) => {
  expect(isRefused(address)).toBe(false);
});
