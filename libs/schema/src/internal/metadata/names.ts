import { byteLength } from '../go-text.ts';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const labelKey = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelExpression = new RegExp(`^${label}$`);
const subdomainExpression = new RegExp(`^${subdomain}$`);
const labelKeyExpression = new RegExp(`^${labelKey}$`);
const labelValueExpression = new RegExp(`^(${labelKey})?$`);
const dns1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const dns1035Expression = new RegExp(`^${dns1035}$`);

const labelWords =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const subdomainWords =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const labelKeyWords =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const labelValueWords =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const dns1035Words =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";

function regexWords(words: string, expression: string, examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}', `).join('or ');
  return `${words} (e.g. ${list}regex used for validation is '${expression}')`;
}

function tooLong(text: string, max: number): string[] {
  return byteLength(text) > max ? [`must be no more than ${String(max)} bytes`] : [];
}

/** Why a text is no DNS subdomain of RFC 1123 in lower case; empty when it is. */
export function subdomainErrors(text: string): string[] {
  const bad = subdomainExpression.test(text) ? [] : [regexWords(subdomainWords, subdomain, ['example.com'])];
  return [...tooLong(text, 253), ...bad];
}

/** Why a text is no DNS label of RFC 1123 in lower case; empty when it is. */
export function labelErrors(text: string): string[] {
  const long = tooLong(text, 63);
  if (labelExpression.test(text)) return long;
  if (subdomainExpression.test(text)) return [...long, 'must not contain dots'];
  return [...long, regexWords(labelWords, label, ['my-name', '123-abc'])];
}

/** Why a text is no DNS label of RFC 1035; empty when it is. */
export function dns1035Errors(text: string): string[] {
  const bad = dns1035Expression.test(text) ? [] : [regexWords(dns1035Words, dns1035, ['my-name', 'abc-123'])];
  return [...tooLong(text, 63), ...bad];
}

/** Why a text is no qualified name, the form of label keys and finalizers; empty when it is. */
export function qualifiedNameErrors(text: string): string[] {
  const parts = text.split('/');
  const words = regexWords(labelKeyWords, labelKey, ['MyName', 'my.name', '123-abc']);
  if (parts.length > 2) {
    return [`a valid label key ${words} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const errors: string[] = [];
  const prefix = parts.length === 2 ? parts[0] : undefined;
  const name = parts.at(-1) ?? '';
  if (prefix === '') errors.push('prefix part must be non-empty');
  else if (prefix !== undefined) errors.push(...subdomainErrors(prefix).map((words) => `prefix part ${words}`));
  if (name === '') errors.push('name part must be non-empty');
  else errors.push(...tooLong(name, 63).map((words) => `name part ${words}`));
  if (!labelKeyExpression.test(name)) errors.push(`name part ${words}`);
  return errors;
}

/** Why a text is no value of a label; empty when it is. */
export function labelValueErrors(text: string): string[] {
  const bad = labelValueExpression.test(text)
    ? []
    : [regexWords(labelValueWords, `(${labelKey})?`, ['MyValue', 'my_value', '12345'])];
  return [...tooLong(text, 63), ...bad];
}

/** Why a text cannot stand in a URL's path as a name; empty when it can. */
export function pathSegmentErrors(text: string): string[] {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return ['/', '%'].filter((part) => text.includes(part)).map((part) => `may not contain '${part}'`);
}
