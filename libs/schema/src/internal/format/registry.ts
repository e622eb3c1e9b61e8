import { isCidr, isIpv4, isIpv6 } from './address.ts';
import { isCreditCard, isIsbn10, isIsbn13 } from './checksum.ts';
import { isEmail } from './email.ts';
import { isDate, isDateTime, isDuration } from './time.ts';
import { isRequestUri } from './uri.ts';
import { byteLength } from '../go-text.ts';

/** Says whether a string is of a format. */
export type FormatCheck = (text: string) => boolean;

const rgbPart = String.raw`(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])`;
const rgbSpace = String.raw`[\t\n\f\r ]*`;
const shortName = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;

function matches(expression: RegExp): FormatCheck {
  return (text) => expression.test(text);
}

function isHostname(text: string): boolean {
  return hostname.test(text) && byteLength(text) <= 255 && text.split('.').every((label) => byteLength(label) <= 63);
}

/** 6, 8 or 20 octets: `01:23:45:67:89:ab`, the same with dashes, or `0123.4567.89ab` (`net.ParseMAC`). */
function isMac(text: string): boolean {
  const colons = /^[0-9a-f]{2}(?::[0-9a-f]{2})*$/i.test(text) || /^[0-9a-f]{2}(?:-[0-9a-f]{2})*$/i.test(text);
  if (colons) return [6, 8, 20].includes((text.length + 1) / 3);
  return /^[0-9a-f]{4}(?:\.[0-9a-f]{4})*$/i.test(text) && [3, 4, 10].includes((text.length + 1) / 5);
}

/** The formats of `strfmt.Default` (kube-openapi) that a CRD may use, under their names without dashes. */
const checks: ReadonlyMap<string, FormatCheck> = new Map([
  ['bsonobjectid', matches(/^[0-9a-fA-F]{24}$/)],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  [
    'rgbcolor',
    matches(
      new RegExp(`^rgb\\(${[rgbPart, rgbPart, rgbPart].map((part) => rgbSpace + part + rgbSpace).join(',')}\\)$`),
    ),
  ],
  ['byte', matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => text.length <= 63 && new RegExp(`^${shortName}$`).test(text)],
  ['k8slongname', (text) => text.length <= 253 && new RegExp(`^${shortName}(\\.${shortName})*$`).test(text)],
]);

/** True for a format that a string can be checked against. */
export function isKnownFormat(format: string): boolean {
  return checks.has(format.replaceAll('-', ''));
}

/** The check of a format; none for a format that the API server does not check. */
export function formatCheck(format: string): FormatCheck | undefined {
  return format === '' ? undefined : checks.get(format.replaceAll('-', ''));
}
