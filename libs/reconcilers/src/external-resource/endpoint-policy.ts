import { bytesOf, contains, meaningsOf } from './address.ts';
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
 * Checks the address that a name was resolved to, and whatever IPv4 address is embedded in it.
 *
 * @throws ExternalError with code `EndpointRefused`.
 */
export function checkAddress(address: string, policy: EndpointPolicy): void {
  const bytes = bytesOf(address);
  if (bytes === undefined) throw refusal(`${address} is not an IP address`);
  const meanings = meaningsOf(bytes);
  const leadsTo = (network: string): boolean => meanings.some((meaning) => contains(network, meaning));
  if (policy.allowedNetworks?.some(leadsTo)) return;
  const network = refusedNetworks.find(leadsTo);
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
