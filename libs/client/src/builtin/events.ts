import type * as published from 'kubernetes-types/events/v1.js';
import type { BuiltIn } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `Event`. */
export const events: BuiltIn<published.Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  singular: 'event',
  scope: 'Namespaced',
  shortNames: ['ev'],
};
/** An event, as the server returns it. */
export type Event = ReadForm<typeof events>;
/** An event, as it is written. */
export type EventInput = WriteForm<typeof events>;
