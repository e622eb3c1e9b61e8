import { formatCheck } from '../internal/format/registry.ts';
import { compilePattern } from '../internal/pattern.ts';
import type { JsonSchemaProps } from '../schema-props.ts';
import { patternText, word } from './pattern-text.ts';
import { integer, pick } from './random.ts';
import type { Random } from './random.ts';

const formatTexts: Record<string, readonly string[]> = {
  'date-time': ['2024-02-29T12:30:00Z', '1999-12-31T23:59:59.123+02:00'],
  date: ['2024-02-29'],
  duration: ['5m', '1h30m', '2 days'],
  byte: ['aGVsbG8=', 'YQ=='],
  ipv4: ['10.0.0.1', '192.168.1.255'],
  ipv6: ['::1', 'fe80::1:2'],
  cidr: ['10.0.0.0/8', '2001:db8::/32'],
  uri: ['https://example.com/a?b=c', '/path'],
  email: ['a@example.com'],
  hostname: ['example.com'],
  uuid: ['123e4567-e89b-12d3-a456-426614174000'],
  mac: ['01:23:45:67:89:ab'],
  password: ['secret'],
};

/** Texts that many schemas ask for without saying it in a format. */
const commonTexts = [
  '5m',
  '1h',
  '10s',
  '1Gi',
  '100m',
  '500',
  '50%',
  'example.com',
  'https://example.com',
  '10.0.0.1',
  'a/b',
  'v1',
  '1',
  'True',
  'a',
  'A',
];

/** A text that fits pattern, length and format, when one of some sixty draws does; otherwise one that may not. */
export function sampleText(schema: JsonSchemaProps, random: Random): string {
  const { pattern, format = '', minLength = 0, maxLength = Infinity } = schema;
  const matches = pattern === undefined || pattern === '' ? undefined : compilePattern(pattern);
  const fits = formatCheck(format);
  let text = '';
  for (let attempt = 0; attempt < 60; attempt++) {
    text = draw(schema, random, attempt);
    if (matches === undefined && fits === undefined) {
      while (text.length < minLength) text += word(random);
      text = text.slice(0, maxLength);
    }
    const length = [...text].length;
    if (length >= minLength && length <= maxLength && (matches?.(text) ?? true) && (fits?.(text) ?? true)) return text;
  }
  return text;
}

function draw({ pattern, format = '' }: JsonSchemaProps, random: Random, attempt: number): string {
  const known = Object.hasOwn(formatTexts, format) ? formatTexts[format] : undefined;
  if (known !== undefined && attempt % 3 === 0) return pick(random, known) ?? '';
  if (pattern && attempt % 4 !== 3) return patternText(pattern, random) ?? pick(random, commonTexts) ?? '';
  return integer(random, 0, 4) === 0 || attempt > 8 ? (pick(random, commonTexts) ?? '') : word(random);
}
