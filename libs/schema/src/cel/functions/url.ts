import { parseRequestUri } from '../../internal/format/uri.ts';
import type { GoUrl } from '../../internal/format/uri.ts';
import { quote } from '../../internal/go-text.ts';
import { simple } from '../compile/types.ts';
import { CelError } from '../values/error.ts';
import { ArrayList, EntryMap, Opaque } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { global, method } from './callee.ts';
import type { Callee, Library, Named } from './callee.ts';

/** A URL as Go reads it. */
class Url extends Opaque {
  override readonly typeName = 'kubernetes.URL';
  readonly text: string;
  readonly parts: GoUrl;

  constructor(text: string, parts: GoUrl) {
    super();
    this.text = text;
    this.parts = parts;
  }

  override equals(other: Opaque): boolean {
    return other instanceof Url && other.text === this.text;
  }
}

function parse(text: string): Url {
  // A fragment is read, but is no part of path or query.
  const parts = parseRequestUri(text) === undefined ? undefined : parseRequestUri(text.replace(/#.*$/s, ''));
  if (parts === undefined)
    throw new CelError(`URL parse error during conversion from string: parse ${quote(text)}: invalid URI for request`);
  return new Url(text, parts);
}

function hostname(host: string): string {
  return host.startsWith('[') ? host.slice(1, host.lastIndexOf(']')) : host.replace(/:[^:]*$/, '');
}

function port(host: string): string {
  return /:(\d*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1] ?? '';
}

/** The path with everything escaped that needs it, and what was escaped already kept. */
function escapedPath({ escapedPath: path }: GoUrl): string {
  return path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@%!'()*[\]]/gu, (character) => encodeURIComponent(character));
}

function query(text: string): EntryMap {
  const values = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const [name = '', value = ''] = [
      pair.split('=', 1)[0],
      pair.includes('=') ? pair.slice(pair.indexOf('=') + 1) : '',
    ].map(unescapeQuery);
    if (name !== undefined && value !== undefined) values.set(name, [...(values.get(name) ?? []), value]);
  }
  const map = new EntryMap();
  for (const [name, list] of values) map.add(name, new ArrayList(list));
  return map;
}

function unescapeQuery(text: string | undefined): string | undefined {
  try {
    return decodeURIComponent((text ?? '').replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function on(apply: (url: GoUrl) => Value, result: Callee['result']): Named {
  return method(1, (url) => (url instanceof Url ? apply(url.parts) : undefined), result);
}

/** URLs. */
export const urls: Library = {
  url: global(1, (text) => (typeof text === 'string' ? parse(text) : undefined), 'kubernetes.URL'),
  isURL: global(1, (text) => (typeof text === 'string' ? parseRequestUri(text) !== undefined : undefined), 'bool'),
  getScheme: on(({ scheme }) => scheme, 'string'),
  getHost: on(({ host }) => host, 'string'),
  getHostname: on(({ host }) => hostname(host), 'string'),
  getPort: on(({ host }) => port(host), 'string'),
  getEscapedPath: on(escapedPath, 'string'),
  getQuery: on(
    ({ query: text }) => query(text),
    () => ({ kind: 'map', key: simple('string'), value: { kind: 'list', item: simple('string') } }),
  ),
};
