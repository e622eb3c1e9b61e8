import { ExternalError } from './error.ts';

/**
 * Where the operator may call on behalf of those who write resources. Without it, whoever may create a resource could make the operator call services
 * that only it can reach.
 */
export interface EndpointPolicy {
  /** Host names that may be called: exact, or `*.example.com` for everything below. Absent: any that the address rules allow. */
  readonly allowedHosts?: readonly string[];
  /** Networks (`10.0.0.0/8`, `fd00::/8`) that may be called although they are link-local, loopback, or otherwise refused. */
  readonly allowedNetworks?: readonly string[];
}

/** Loopback, this-network, link-local (169.254.169.254 and fe80:: among them), multicast and reserved; the metadata addresses of clouds that are elsewhere. */
const refusedNetworks: readonly string[] = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  '224.0.0.0/3',
  '::/128',
  '::1/128',
  'fe80::/10',
  'ff00::/8',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
];

/**
 * The URL, if it may be called by its looks. Its addresses are checked once they are resolved (`checkAddress`).
 *
 * @throws ExternalError with code `EndpointRefused`, saying why.
 */
export function checkEndpoint(endpoint: string, policy: EndpointPolicy): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined) throw refusal(`${JSON.stringify(endpoint)} is not a URL`);
  if (url.username !== '' || url.password !== '') throw refusal('credentials do not belong into the URL: use a Secret');
  const host = hostOf(url);
  const { allowedHosts } = policy;
  if (allowedHosts && !allowedHosts.some((pattern) => matchesHost(host, pattern))) {
    throw refusal(`the host ${host} is not among those that the operator may call (${allowedHosts.join(', ')})`);
  }
  if (bytesOf(host)) checkAddress(host, policy);
  return url;
}

/**
 * Checks the address that a name was resolved to.
 *
 * @throws ExternalError with code `EndpointRefused`.
 */
export function checkAddress(address: string, policy: EndpointPolicy): void {
  const bytes = bytesOf(address);
  if (bytes === undefined) throw refusal(`${address} is not an IP address`);
  if (policy.allowedNetworks?.some((network) => contains(network, bytes))) return;
  const network = refusedNetworks.find((candidate) => contains(candidate, bytes));
  if (network !== undefined) throw refusal(`the address ${address} is in ${network}, which the operator may not call`);
}

/** A URL's host name or address, without the brackets of IPv6 and without the dot that may end a name. */
export function hostOf(url: URL): string {
  return url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

const refusal = (message: string): ExternalError => new ExternalError('EndpointRefused', message, { applied: 'no' });

const matchesHost = (host: string, pattern: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1).toLowerCase()) : host === pattern.toLowerCase();

/** An address's bytes, 4 or 16; IPv4 written as IPv6 comes out as IPv4. Undefined where it is none. */
function bytesOf(text: string): readonly number[] | undefined {
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
  const bytes = all.flatMap((group) => [group >> 8, group & 0xff]);
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  const translated = all[0] === 0x64 && all[1] === 0xff9b && all.slice(2, 6).every((group) => group === 0);
  return mapped || translated ? bytes.slice(12) : bytes;
}

function contains(network: string, address: readonly number[]): boolean {
  const [base = '', length = ''] = network.split('/');
  const bytes = bytesOf(base);
  if (bytes?.length !== address.length) return false;
  const bits = (all: readonly number[]): string => all.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const prefix = length === '' ? address.length * 8 : Number(length);
  return bits(bytes).slice(0, prefix) === bits(address).slice(0, prefix);
}
