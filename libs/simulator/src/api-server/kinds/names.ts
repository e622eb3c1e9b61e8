import { isIPv4, isIPv6 } from 'node:net';

/** What is wrong with a name, in the server's words. Empty where it is valid. */
export type NameRule = (name: string) => readonly string[];

const labelPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`;
const label1035Pattern = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualifiedPattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const valuePattern = `(${qualifiedPattern})?`;

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);

function rule(
  pattern: string,
  limit: number,
  message: string,
  tooLong = `must be no more than ${limit} characters`,
): NameRule {
  const expression = whole(pattern);
  return (name) => [...(name.length > limit ? [tooLong] : []), ...(expression.test(name) ? [] : [message])];
}

/** `a-b.c`: the names of most objects. */
export const subdomain: NameRule = rule(
  subdomainPattern,
  253,
  `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomainPattern}')`,
);

const anyLabel = rule(
  labelPattern,
  63,
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${labelPattern}')`,
);

/** `a-b`: names that become host names. */
export const label: NameRule = (name) =>
  anyLabel(name).map((message) =>
    message.startsWith('a lowercase') && whole(subdomainPattern).test(name) ? 'must not contain dots' : message,
  );

/** `a-b` that begins with a letter. */
export const label1035: NameRule = rule(
  label1035Pattern,
  63,
  `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${label1035Pattern}')`,
);

/** Anything that fits into a path: the names of roles and bindings. */
export const pathSegment: NameRule = (name) => {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((illegal) => name.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
};

/** An IP address as it is written shortest. */
export const canonicalAddress: NameRule = (text) => {
  if (isIPv4(text)) return [];
  if (!isIPv6(text)) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  if (/^::ffff:\d+\./i.test(text)) return ['must not be an IPv4-mapped IPv6 address'];
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  return text === canonical ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
};

/** The value of a label. */
export const labelValue: NameRule = rule(
  valuePattern,
  63,
  `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${valuePattern}')`,
  'must be no more than 63 bytes',
);

const namePart = rule(
  qualifiedPattern,
  63,
  `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualifiedPattern}')`,
  'name part must be no more than 63 bytes',
);

/** `name` or `prefix/name`: keys of labels and annotations, finalizers. */
export const qualifiedName: NameRule = (text) => {
  const parts = text.split('/');
  const [first = '', second] = parts;
  if (parts.length > 2)
    return [
      `a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualifiedPattern}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  if (second === undefined) return first === '' ? ['name part must be non-empty', ...namePart(first)] : namePart(first);
  const prefix =
    first === ''
      ? ['prefix part must be non-empty']
      : subdomain(first).map((message) => `prefix part ${message.replace(/characters$/, 'bytes')}`);
  return [...prefix, ...(second === '' ? ['name part must be non-empty'] : []), ...namePart(second)];
};
