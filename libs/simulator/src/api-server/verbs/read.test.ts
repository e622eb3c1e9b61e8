import { expect, it } from 'vitest';
import { systemClock } from '@ordinal/client';
import type { JsonObject } from '../request.ts';
import { ApiServer } from '../server.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps' };

const namesOf = (body: JsonObject): readonly string[] =>
  (body['items'] as readonly { readonly metadata: { readonly name: string } }[]).map(({ metadata }) => metadata.name);
const continueOf = (body: JsonObject): string => String((body['metadata'] as JsonObject)['continue']);

it('lets a list go on with what there is now where its beginning is forgotten', () => {
  const server = new ApiServer({ clock: systemClock, random: Math.random });
  const create = (name: string) =>
    server.execute({ verb: 'create', resource: configMaps, namespace: 'default', body: { metadata: { name } } });
  for (const name of ['a', 'b', 'd']) create(name);
  const list = (options: { readonly limit?: number; readonly continue?: string }) =>
    server.execute({ verb: 'list', resource: configMaps, namespace: 'default', options });
  const first = list({ limit: 1 }).body;
  create('c');
  expect(namesOf(list({ continue: continueOf(first) }).body)).toEqual(['b', 'd']);
  server.compact();
  const late = list({ continue: continueOf(first) });
  expect(late).toMatchObject({ status: 410, body: { reason: 'Expired' } });
  expect(namesOf(list({ continue: continueOf(late.body) }).body)).toEqual(['b', 'c', 'd']);
});

it('selects events by the fields of their group', () => {
  const server = new ApiServer({ clock: systemClock, random: Math.random });
  const create = (name: string, rest: JsonObject) =>
    server.execute({
      verb: 'create',
      resource: { group: '', version: 'v1', plural: 'events' },
      namespace: 'default',
      body: { metadata: { name }, involvedObject: { kind: 'Pod', namespace: 'default', name }, ...rest },
    });
  create('one', { source: { component: 'first' } });
  create('two', { reportingComponent: 'second' });
  const select = (group: string, fieldSelector: string) => {
    const resource = { group, version: 'v1', plural: 'events' };
    const { status, body } = server.execute({ verb: 'list', resource, options: { fieldSelector } });
    return status === 200 ? namesOf(body) : status;
  };
  expect(select('', 'source=first')).toEqual(['one']);
  expect(select('', 'source=second')).toEqual(['two']);
  expect(select('', 'reportingController=second')).toBe(400);
  expect(select('events.k8s.io', 'reportingController=second')).toEqual(['two']);
  expect(select('events.k8s.io', 'regarding.name=one')).toEqual(['one']);
  expect(select('events.k8s.io', 'involvedObject.name=one')).toBe(400);
});

it('shows no table of a review', async () => {
  const transport = new ApiServer({ clock: systemClock, random: Math.random }).transport();
  const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
  const statusOf = async (accept: string): Promise<number> => {
    const { status } = await transport.send({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      headers: { 'content-type': 'application/json', accept },
      body: Buffer.from(
        JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', ...review }),
      ),
    });
    return status;
  };
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  expect([await statusOf(table), await statusOf(`${table},application/json`)]).toEqual([406, 201]);
});
