/** A reply as the API server passes it on. */
interface Proxied {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const links =
  'action|background|cite|classid|codebase|data|formaction|href|icon|longdesc|manifest|poster|profile|src|usemap';
const localLink = new RegExp(`\\b(${links})\\s*=\\s*(["'])/(?!/)`, 'gi');

/**
 * A reply whose links stay within the proxy at `prefix`, as the API server sees to it: those of a page, and where a client is sent. Links to other hosts stay
 * as they are.
 */
export function throughProxy({ status, body, headers }: Proxied, prefix: string): Proxied {
  const { location } = headers;
  const isPage = headers['content-type']?.startsWith('text/html') === true;
  return {
    status,
    body: isPage ? body.replaceAll(localLink, (_, name: string, quote: string) => `${name}=${quote}${prefix}/`) : body,
    headers: {
      ...headers,
      ...(location !== undefined && /^\/(?!\/)/.test(location) && { location: `${prefix}${location}` }),
    },
  };
}
