import { formatCheck } from '../../internal/format/registry.ts';
import { isRequestUri } from '../../internal/format/uri.ts';
import { quote } from '../../internal/go-text.ts';
import {
  dns1035Errors,
  labelErrors,
  labelValueErrors,
  qualifiedNameErrors,
  subdomainErrors,
} from '../../internal/metadata/names.ts';
import { ArrayList, Opaque, Optional } from '../values/value.ts';
import { global, method } from './callee.ts';
import type { Library } from './callee.ts';

type Judge = (text: string) => readonly string[];

/** A format with a name: says what is wrong with a text. */
class NamedFormat extends Opaque {
  override readonly typeName = 'kubernetes.NamedFormat';
  override readonly patternSize: number;
  readonly formatName: string;
  readonly errors: Judge;

  constructor(formatName: string, errors: Judge) {
    super();
    this.formatName = formatName;
    this.patternSize = patternSizes[formatName] ?? 0;
    this.errors = errors;
  }

  override equals(other: Opaque): boolean {
    return other instanceof NamedFormat && other.formatName === this.formatName;
  }
}

/** `MaxRegexSize` of k8s.io/apiserver's formats. */
const patternSizes: Readonly<Record<string, number>> = {
  dns1123Label: 30,
  dns1123Subdomain: 60,
  dns1035Label: 30,
  qualifiedName: 60,
  dns1123LabelPrefix: 30,
  dns1123SubdomainPrefix: 60,
  dns1035LabelPrefix: 30,
  labelValue: 40,
  uri: 1103,
  uuid: 70,
  byte: 84,
  date: 71,
  datetime: 71,
};

/** A prefix may end in a dash: something follows it. */
function prefix(judge: Judge): Judge {
  return (text) => judge(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
}

function checked(format: string, words: string): Judge {
  return (text) => (formatCheck(format)?.(text) === false ? [words] : []);
}

const judges: Readonly<Record<string, Judge>> = {
  dns1123Label: labelErrors,
  dns1123Subdomain: subdomainErrors,
  dns1035Label: dns1035Errors,
  qualifiedName: qualifiedNameErrors,
  dns1123LabelPrefix: prefix(labelErrors),
  dns1123SubdomainPrefix: prefix(subdomainErrors),
  dns1035LabelPrefix: prefix(dns1035Errors),
  labelValue: labelValueErrors,
  uri: (text) =>
    isRequestUri(text) ? [] : [`parse ${quote(text)}: ${text === '' ? 'empty url' : 'invalid URI for request'}`],
  uuid: checked('uuid', 'does not match the UUID format'),
  byte: checked('byte', 'invalid base64'),
  date: checked('date', 'invalid date'),
  datetime: checked('date-time', 'invalid datetime'),
};

function named(name: string): NamedFormat | undefined {
  const judge = Object.hasOwn(judges, name) ? judges[name] : undefined;
  return judge === undefined ? undefined : new NamedFormat(name, judge);
}

/** Formats by name. */
export const formats: Library = {
  'format.named': global(
    1,
    (name) => (typeof name === 'string' ? new Optional(named(name)) : undefined),
    () => ({ kind: 'optional', value: { kind: 'simple', name: 'kubernetes.NamedFormat' } }),
  ),
  validate: method(
    2,
    (format, text) => {
      if (!(format instanceof NamedFormat) || typeof text !== 'string') return undefined;
      const errors = format.errors(text);
      return new Optional(errors.length === 0 ? undefined : new ArrayList(errors));
    },
    () => ({ kind: 'optional', value: { kind: 'list', item: { kind: 'simple', name: 'string' } } }),
  ),
  ...Object.fromEntries(
    Object.keys(judges).map((name) => [`format.${name}`, global(0, () => named(name), 'kubernetes.NamedFormat')]),
  ),
};
