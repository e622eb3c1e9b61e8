/** The bytes of an IP address: 4 or 16. */
export type AddressBytes = readonly number[];

/** An address's bytes; undefined where the text is none. */
export function bytesOf(text: string): AddressBytes | undefined {
  if (/^\d+(\.\d+){3}$/.test(text)) {
    const bytes = text.split('.').map(Number);
    return bytes.every((byte) => byte <= 255) ? bytes : undefined;
  }
  if (!text.includes(':') || !URL.canParse(`http://[${text}]/`)) return undefined;
  // The URL parser writes IPv6 in its canonical form: hexadecimal groups, and at most one "::".
  const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const groups = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const all =
    tail === undefined ? before : [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
  return all.flatMap((group) => [group >> 8, group & 0xff]);
}

/** Whether a network (`10.0.0.0/8`, `fd00::/8`) contains the address. */
export function contains(network: string, address: AddressBytes): boolean {
  const [base = '', length = ''] = network.split('/');
  const bytes = bytesOf(base);
  if (bytes?.length !== address.length) return false;
  const bits = (all: AddressBytes): string => all.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const prefix = length === '' ? address.length * 8 : Number(length);
  return bits(bytes).slice(0, prefix) === bits(address).slice(0, prefix);
}

type Embedding = (bytes: AddressBytes) => AddressBytes;

const last: Embedding = (bytes) => bytes.slice(12);

/** IPv6 networks whose addresses a host, a router or a translator takes for the IPv4 address that is written in them. */
const embeddings: readonly (readonly [network: string, ...embedded: readonly Embedding[]])[] = [
  ['::ffff:0:0:0/96', last], // IPv4-translated
  ['::/96', last], // IPv4-compatible
  ['64:ff9b::/96', last], // NAT64
  // NAT64 of one's own: a translator takes a prefix of 48, 56, 64 or 96 bits out of it, and the byte at 8 stays empty.
  [
    '64:ff9b:1::/48',
    last,
    (bytes) => [...bytes.slice(6, 8), ...bytes.slice(9, 11)],
    (bytes) => [...bytes.slice(7, 8), ...bytes.slice(9, 12)],
    (bytes) => bytes.slice(9, 13),
  ],
  ['2002::/16', (bytes) => bytes.slice(2, 6)], // 6to4
  ['2001::/32', (bytes) => bytes.slice(4, 8), (bytes) => last(bytes).map((byte) => byte ^ 0xff)], // Teredo: server, client
];

/** Of ISATAP any network's addresses may be; their last 64 bits begin so. */
const isatap = [
  [0x00, 0x00, 0x5e, 0xfe],
  [0x02, 0x00, 0x5e, 0xfe],
] as const;

/** Everything that an address may lead to: itself, and the IPv4 addresses that are embedded in it. An IPv4-mapped one is nothing but its IPv4 address (RFC 3493, 3.7). */
export function meaningsOf(address: AddressBytes): readonly AddressBytes[] {
  if (address.length === 4) return [address];
  if (contains('::ffff:0:0/96', address)) return [last(address)];
  const embedded = embeddings.flatMap(([network, ...all]) =>
    contains(network, address) ? all.map((one) => one(address)) : [],
  );
  const isIsatap = isatap.some((mark) => mark.every((byte, index) => address[8 + index] === byte));
  return [address, ...embedded, ...(isIsatap ? [last(address)] : [])];
}
