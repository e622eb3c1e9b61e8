import { parseIpv4, parseIpv6 } from '../../internal/format/address.ts';
import { quote } from '../../internal/go-text.ts';
import { CelError } from '../values/error.ts';
import { Opaque } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { global, method } from './callee.ts';
import type { Library, Named } from './callee.ts';

/** An address: 4 or 16 octets. */
class Ip extends Opaque {
  override readonly typeName = 'net.IP';
  override readonly size: number;
  readonly octets: readonly number[];

  constructor(octets: readonly number[]) {
    super();
    this.octets = octets;
    this.size = octets.length;
  }

  override equals(other: Opaque): boolean {
    return other instanceof Ip && printAddress(other.octets) === printAddress(this.octets);
  }
}

/** A network: an address, and how many of its bits name the network. */
class Cidr extends Opaque {
  override readonly typeName = 'net.CIDR';
  override readonly size: number;
  readonly octets: readonly number[];
  readonly bits: number;

  constructor(octets: readonly number[], bits: number) {
    super();
    this.octets = octets;
    this.bits = bits;
    this.size = Math.ceil(bits / 8);
  }

  override equals(other: Opaque): boolean {
    return other instanceof Cidr && printCidr(other) === printCidr(this);
  }
}

/** The canonical text of an address: lower case, the longest run of zeros as `::`. */
function printAddress(octets: readonly number[]): string {
  if (octets.length === 4) return octets.join('.');
  const groups = Array.from({ length: 8 }, (_, i) =>
    (((octets[2 * i] ?? 0) << 8) | (octets[2 * i + 1] ?? 0)).toString(16),
  );
  let best = { start: 0, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === '0') length++;
    if (length > best.length) best = { start, length };
  }
  if (best.length < 2) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}

function printCidr({ octets, bits }: Cidr): string {
  return `${printAddress(octets)}/${String(bits)}`;
}

function isMapped(octets: readonly number[]): boolean {
  return (
    octets.length === 16 &&
    octets.slice(0, 10).every((octet) => octet === 0) &&
    octets[10] === 255 &&
    octets[11] === 255
  );
}

function parseOctets(text: string): number[] | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIp(text: string): Ip {
  const [address = '', zone] = text.includes(':') ? text.split('%', 2) : [text];
  const octets = parseOctets(address);
  if (octets === undefined || zone === '')
    throw new CelError(
      `IP Address ${quote(text)} parse error during conversion from string: ParseAddr(${quote(text)}): unable to parse IP`,
    );
  if (zone !== undefined) throw new CelError(`IP address ${quote(text)} with zone value is not allowed`);
  if (isMapped(octets)) throw new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  return new Ip(octets);
}

function parseCidr(text: string): Cidr {
  const slash = text.lastIndexOf('/');
  const octets = slash < 0 ? undefined : parseOctets(text.slice(0, slash));
  const bits = text.slice(slash + 1);
  if (octets === undefined || !/^(?:0|[1-9]\d*)$/.test(bits) || Number(bits) > octets.length * 8) {
    throw new CelError(
      `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${quote(text)}): no '/'`,
    );
  }
  if (isMapped(octets))
    throw new CelError(
      `network address parse error during conversion from string: IPv4-mapped IPv6 address ${quote(text)} is not allowed`,
    );
  return new Cidr(octets, Number(bits));
}

function mask(octets: readonly number[], bits: number): number[] {
  return octets.map((octet, i) => octet & (0xff << Math.max(0, 8 - Math.max(0, bits - i * 8))) & 0xff);
}

function containsAddress(network: Cidr, octets: readonly number[]): boolean {
  if (network.octets.length !== octets.length) return false;
  const wanted = mask(network.octets, network.bits);
  return mask(octets, network.bits).every((octet, i) => octet === wanted[i]);
}

function reads(parse: (text: string) => unknown): Named {
  return global(
    1,
    (text) => {
      if (typeof text !== 'string') return undefined;
      try {
        parse(text);
        return true;
      } catch (error) {
        if (error instanceof CelError) return false;
        throw error;
      }
    },
    'bool',
  );
}

function onIp(apply: (octets: readonly number[]) => Value, result: string): Named {
  return method(1, (ip) => (ip instanceof Ip ? apply(ip.octets) : undefined), result);
}

function onCidr(apply: (network: Cidr) => Value, result: string): Named {
  return method(1, (network) => (network instanceof Cidr ? apply(network) : undefined), result);
}

const isUnspecified = (octets: readonly number[]): boolean => octets.every((octet) => octet === 0);
const isLoopback = (octets: readonly number[]): boolean =>
  octets.length === 4 ? octets[0] === 127 : octets[15] === 1 && octets.slice(0, 15).every((octet) => octet === 0);
const isMulticast = (octets: readonly number[]): boolean =>
  octets.length === 4 ? ((octets[0] ?? 0) & 0xf0) === 0xe0 : octets[0] === 0xff;
const isLinkLocalUnicast = ([a = 0, b = 0, ...rest]: readonly number[]): boolean =>
  rest.length === 2 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80;
const isLinkLocalMulticast = ([a = 0, b = 0, c = 0, ...rest]: readonly number[]): boolean =>
  rest.length === 1 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 2;

function isGlobalUnicast(octets: readonly number[]): boolean {
  if (octets.length === 4 && octets.every((octet) => octet === 255)) return false;
  return !isUnspecified(octets) && !isLoopback(octets) && !isMulticast(octets) && !isLinkLocalUnicast(octets);
}

/** Addresses and networks. */
export const addresses: Library = {
  ip: {
    ...global(1, (text) => (typeof text === 'string' ? parseIp(text) : undefined), 'net.IP'),
    ...onCidr(({ octets }) => new Ip(octets), 'net.IP'),
  },
  isIP: reads(parseIp),
  'ip.isCanonical': global(
    1,
    (text) => (typeof text === 'string' ? printAddress(parseIp(text).octets) === text : undefined),
    'bool',
  ),
  family: onIp((octets) => (octets.length === 4 ? 4n : 6n), 'int'),
  isUnspecified: onIp(isUnspecified, 'bool'),
  isLoopback: onIp(isLoopback, 'bool'),
  isLinkLocalMulticast: onIp(isLinkLocalMulticast, 'bool'),
  isLinkLocalUnicast: onIp(isLinkLocalUnicast, 'bool'),
  isGlobalUnicast: onIp(isGlobalUnicast, 'bool'),
  cidr: global(1, (text) => (typeof text === 'string' ? parseCidr(text) : undefined), 'net.CIDR'),
  isCIDR: reads(parseCidr),
  containsIP: method(
    2,
    (network, ip) => {
      const address = typeof ip === 'string' ? parseIp(ip) : ip;
      return network instanceof Cidr && address instanceof Ip ? containsAddress(network, address.octets) : undefined;
    },
    'bool',
  ),
  containsCIDR: method(
    2,
    (network, inner) => {
      const other = typeof inner === 'string' ? parseCidr(inner) : inner;
      return network instanceof Cidr && other instanceof Cidr
        ? network.bits <= other.bits && containsAddress(network, other.octets)
        : undefined;
    },
    'bool',
  ),
  masked: onCidr(({ octets, bits }) => new Cidr(mask(octets, bits), bits), 'net.CIDR'),
  prefixLength: onCidr(({ bits }) => BigInt(bits), 'int'),
  string: global(
    1,
    (value) =>
      value instanceof Ip ? printAddress(value.octets) : value instanceof Cidr ? printCidr(value) : undefined,
    'string',
  ),
};
