import type { Instant } from '@ordinal/client';
import { items, part, specOf } from '../kinds/spec.ts';
import type { JsonObject } from '../request.ts';
import { humanDuration } from './age.ts';

/** A column of a table and what it shows of an object. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly cell: (object: JsonObject, now: Instant) => unknown;
}

/** An object's status. */
export const status = (object: JsonObject): JsonObject => part(object, 'status');
/** A number, 0 where there is none. */
export const count = (value: unknown): number => Number(value ?? 0);
/** An object's metadata. */
export const metadata = (object: JsonObject): JsonObject => part(object, 'metadata');

/** How long ago an instant is, in short. */
export const age = (value: unknown, now: Instant): string =>
  typeof value === 'string' ? humanDuration(now - Date.parse(value)) : '<unknown>';

/** A column of texts; those of a priority above 0 are shown by `-o wide` alone. */
export const text = (name: string, cell: Column['cell'], priority = 0): Column => ({
  name,
  type: 'string',
  priority,
  cell,
});
/** A column of whole numbers. */
export const integer = (name: string, cell: Column['cell']): Column => ({ name, type: 'integer', priority: 0, cell });

/** The first column of all. */
export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  priority: 0,
  cell: (object) => metadata(object)['name'],
};
/** How long an object has been there. */
export const ageColumn = text('Age', (object, now) => age(metadata(object)['creationTimestamp'], now));

/** What kubectl shows where nothing is. */
export const none = (value: unknown): string =>
  value === undefined || value === '' ? '<none>' : String(value as string);

const images = (object: JsonObject): readonly JsonObject[] =>
  items(part(part(specOf(object), 'template'), 'spec')['containers']);

/** The containers and images of a kind's pods. */
export const podPart: readonly Column[] = [
  text(
    'Containers',
    (object) =>
      images(object)
        .map(({ name }) => name)
        .join(','),
    1,
  ),
  text(
    'Images',
    (object) =>
      images(object)
        .map(({ image }) => image)
        .join(','),
    1,
  ),
];
