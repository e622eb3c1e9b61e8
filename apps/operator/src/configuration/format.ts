// What the texts of settings may be, where not every text makes sense. A wrong one would else show much later, or never: a network that can't be read might
// stand for all of them.
import { isIP, isIPv4 } from 'node:net';
import type { Format } from './option.ts';

const label = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';
const isNamespace = new RegExp(`^${label}$`);
const isName = new RegExp(`^${label}(?:\\.${label})*$`);
const isHost = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`, 'i');

/** The name of a namespace. */
export const namespaceName: Format = {
  takes: (text) => isNamespace.test(text),
  isA: 'the name of a namespace, like shop',
};

/** The name of an object. */
export const kubernetesName: Format = {
  takes: (text) => text.length <= 253 && isName.test(text),
  isA: 'a name of lower-case letters, digits, - and ., like ordinal-blue',
};

/** The place of a Secret. */
export const secretPlace: Format = {
  takes(text) {
    const [namespace = '', name = '', ...more] = text.split('/');
    return more.length === 0 && namespaceName.takes(namespace) && kubernetesName.takes(name);
  },
  isA: 'a Secret, written NAMESPACE/NAME',
};

/** A network or a single address. */
export const network: Format = {
  takes(text) {
    const [address = '', length, ...more] = text.split('/');
    if (isIP(address) === 0 || more.length > 0) return false;
    return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (isIPv4(address) ? 32 : 128));
  },
  isA: 'a network like 10.0.0.0/8 or fd00::/8',
};

/** A host's name or address, or all names under one. */
export const hostPattern: Format = {
  takes: (text) => isIP(text) !== 0 || isHost.test(text),
  isA: 'a host without scheme and port, like db.example.com or *.example.com',
};

const key = `(?:${label}(?:\\.${label})*/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?`;
const value = '(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?';
const requirement = [
  `!\\s*${key}`,
  `${key}`,
  `${key}\\s*(?:=|==|!=)\\s*${value}`,
  `${key}\\s*[<>]\\s*\\d+`,
  `${key}\\s+(?:in|notin)\\s*\\(\\s*${value}(?:\\s*,\\s*${value})*\\s*\\)`,
].join('|');
const isSelector = new RegExp(`^\\s*(?:${requirement})(?:\\s*,\\s*(?:${requirement}))*\\s*$`);

/** A label selector as the API server reads it. */
export const labelSelector: Format = {
  takes: (text) => isSelector.test(text),
  isA: 'a label selector, like team=blue or team in (blue,red)',
};

/** The URL of a service. */
export const httpUrl: Format = {
  takes: (text) => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? ''),
  isA: 'a URL, like http://collector.monitoring:4318',
};
