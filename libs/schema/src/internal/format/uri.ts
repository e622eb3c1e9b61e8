import { parseIpv6 } from './address.ts';

/** The parts of a URL that Go's `net/url` reads; text is unescaped where Go unescapes it. */
export interface GoUrl {
  readonly scheme: string;
  readonly opaque: string;
  readonly host: string;
  readonly path: string;
  readonly escapedPath: string;
  readonly query: string;
}

/**
 * A URL as Go's `url.ParseRequestURI` reads it: an absolute URI or an absolute path, no fragment.
 * Undefined where Go refuses it.
 */
export function parseRequestUri(text: string): GoUrl | undefined {
  // eslint-disable-next-line no-control-regex -- Go refuses ASCII control characters anywhere in a URL.
  if (text === '' || /[\x00-\x1f\x7f]/.test(text)) return undefined;
  if (text === '*') return { scheme: '', opaque: '', host: '', path: '*', escapedPath: '*', query: '' };
  const schemed = splitScheme(text);
  if (schemed === undefined) return undefined;
  const { scheme } = schemed;
  const mark = schemed.rest.indexOf('?');
  const query = mark < 0 ? '' : schemed.rest.slice(mark + 1);
  let rest = mark < 0 ? schemed.rest : schemed.rest.slice(0, mark);
  if (!rest.startsWith('/'))
    return scheme === '' ? undefined : { scheme, opaque: rest, host: '', path: '', escapedPath: '', query };
  let host = '';
  if ((scheme !== '' || !rest.startsWith('///')) && rest.startsWith('//')) {
    const end = rest.indexOf('/', 2);
    const parsed = parseAuthority(end < 0 ? rest.slice(2) : rest.slice(2, end));
    if (parsed === undefined) return undefined;
    host = parsed;
    rest = end < 0 ? '' : rest.slice(end);
  }
  const path = unescape(rest);
  return path === undefined ? undefined : { scheme, opaque: '', host, path, escapedPath: rest, query };
}

/** True for what {@link parseRequestUri} reads. */
export function isRequestUri(text: string): boolean {
  return parseRequestUri(text) !== undefined;
}

function splitScheme(text: string): { scheme: string; rest: string } | undefined {
  const colon = /^[^/?:]*:/.exec(text);
  if (/^:/.test(text)) return undefined;
  if (colon === null) return { scheme: '', rest: text };
  const scheme = colon[0].slice(0, -1);
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*$/.test(scheme))
    return { scheme: scheme.toLowerCase(), rest: text.slice(colon[0].length) };
  // Go stops at the first character that no scheme has: a digit or a sign in front is "no scheme", and so is anything else.
  return { scheme: '', rest: text };
}

function parseAuthority(authority: string): string | undefined {
  const at = authority.lastIndexOf('@');
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at))) return undefined;
  if (at >= 0 && unescape(authority.slice(0, at)) === undefined) return undefined;
  const host = authority.slice(at + 1);
  if (host.startsWith('[')) return parseBracketed(host);
  const colon = host.lastIndexOf(':');
  if (colon >= 0 && !/^:[0-9]*$/.test(host.slice(colon))) return undefined;
  return unescapeHost(host);
}

function parseBracketed(host: string): string | undefined {
  const end = host.lastIndexOf(']');
  if (end < 0 || !/^(?::[0-9]*)?$/.test(host.slice(end + 1))) return undefined;
  const zone = host.indexOf('%25');
  const address = host.slice(1, zone >= 0 && zone < end ? zone : end);
  return parseIpv6(address) === undefined ? undefined : unescape(host);
}

function unescapeHost(host: string): string | undefined {
  for (const [, hex = ''] of host.matchAll(/%(..?|$)/g)) {
    // Percent-encoding in a host may only stand for bytes that are not ASCII.
    if (!/^[89a-fA-F][0-9a-fA-F]$/.test(hex)) return undefined;
  }
  // Go lets these ASCII characters and everything beyond ASCII stand in a host.

  return /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]*$/.test(host) ? host : undefined;
}

function unescape(text: string): string | undefined {
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
    new TextDecoder().decode(Uint8Array.from(run.slice(1).split('%'), (hex) => parseInt(hex, 16))),
  );
}
