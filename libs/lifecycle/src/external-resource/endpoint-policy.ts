import { bytesOf, contains, meaningsOf } from './address.ts';
import { ExternalError } from './error.ts';
import { refusedNetworks } from './refused-networks.ts';

/**
 * Where the operator may call on behalf of those who write resources. Without it, anyone who may create a resource could make the operator call services
 * that only it can reach.
 */
export interface EndpointPolicy {
  /** Host names that may be called: exact, or `*.example.com` for everything below. Absent: any that the address rules allow. */
  readonly allowedHosts?: readonly string[];
  /** Networks (`10.0.0.0/8`, `fd00::/8`) that may be called although they are link-local, loopback, or otherwise refused. */
  readonly allowedNetworks?: readonly string[];
}

/**
 * The URL, if it may be called by its looks: http or https, no credentials in it, a host that may be called. Its addresses are checked once they are resolved (`checkAddress`).
 *
 * @throws ExternalError with code `EndpointRefused`, saying why.
 */
export function checkEndpoint(endpoint: string, policy: EndpointPolicy): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined) throw refusal(`${JSON.stringify(endpoint)} is not a URL`);
  if (!schemes.has(url.protocol)) throw refusal(`the scheme of ${url.protocol}// is neither http nor https`);
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
 * Checks the address that a name was resolved to, and by itself whatever IPv4 address is embedded in it: that a translator may be called does not mean that
 * everything behind it may be.
 *
 * @throws ExternalError with code `EndpointRefused`.
 */
export function checkAddress(address: string, policy: EndpointPolicy): void {
  const bytes = bytesOf(address);
  if (bytes === undefined) throw refusal(`${address} is not an IP address`);
  for (const meaning of meaningsOf(bytes)) {
    if (policy.allowedNetworks?.some((network) => contains(network, meaning))) continue;
    const found = refusedNetworks.find(({ network }) => contains(network, meaning));
    if (found)
      throw refusal(`the address ${address} is in ${found.network} (${found.name}), which the operator may not call`);
  }
}

/** A URL's host name or address, without the brackets of IPv6 and without the dot that may end a name. */
function hostOf(url: URL): string {
  return url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

const schemes: ReadonlySet<string> = new Set(['http:', 'https:']);

const refusal = (message: string): ExternalError => new ExternalError('EndpointRefused', message, { applied: 'no' });

const matchesHost = (host: string, pattern: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1).toLowerCase()) : host === pattern.toLowerCase();
