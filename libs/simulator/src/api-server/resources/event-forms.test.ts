import { expect, it } from 'vitest';
import { systemClock } from '@ordinal/client';
import { ApiServer } from '../server.ts';

it('shows an event of events.k8s.io in the form of the core group', () => {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5 });
  const body = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'a' },
    note: 'text',
    regarding: { kind: 'Pod', name: 'web-0' },
    reportingController: 'example.com/operator',
    eventTime: '2024-01-01T00:00:00.000000Z',
  };
  server.execute({
    verb: 'create',
    resource: { group: 'events.k8s.io', version: 'v1', plural: 'events' },
    namespace: 'default',
    body,
  });
  const listed = server.execute({
    verb: 'list',
    resource: { group: '', version: 'v1', plural: 'events' },
    namespace: 'default',
    options: { fieldSelector: 'involvedObject.name=web-0' },
  });
  expect(listed.body['items']).toMatchObject([
    { message: 'text', involvedObject: { name: 'web-0' }, reportingComponent: 'example.com/operator' },
  ]);
});
