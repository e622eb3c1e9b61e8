import type { Secret } from '@ordinal/client';

/** The values of a Secret, decoded. */
export function decodeSecret({ data }: Pick<Secret, 'data'>): Readonly<Record<string, string>> {
  const entries = Object.entries(data ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}
