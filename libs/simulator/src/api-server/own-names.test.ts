import { systemClock } from '@ordinal/client';
import { beforeEach, expect, it } from 'vitest';
import type { ApiReply, ApiRequest } from './request.ts';
import { ApiServer } from './server.ts';

// Names that each object of JavaScript has, and no object of Kubernetes.
const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
const data = (value: string): unknown =>
  JSON.parse(`{${names.map((name) => `"${name}":"${value}"`).join(',')},"key":"${value}"}`);

let server: ApiServer;
const target = { resource: { group: '', version: 'v1', plural: 'configmaps' }, namespace: 'default' };
const send = (request: Pick<ApiRequest, 'verb'> & Partial<ApiRequest>): ApiReply =>
  server.execute({ ...target, ...request });
const stored = (): string => JSON.stringify(send({ verb: 'get', name: 'a' }).body['data']);

beforeEach(() => {
  server = new ApiServer({ clock: systemClock, random: () => 0.5 });
  send({ verb: 'create', body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { key: '0' } } });
});

it.each(['merge', 'strategic'] as const)('a %s patch sets fields of any name', (patchType) => {
  send({ verb: 'patch', name: 'a', patchType, body: { data: data('1') } });
  for (const name of names) expect(stored()).toContain(`"${name}":"1"`);
});

it('apply sets fields of any name, and takes them away again', () => {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  const options = { fieldManager: 'm', force: true };
  send({ verb: 'apply', name: 'a', body: { ...body, data: data('1') }, options });
  for (const name of names) expect(stored()).toContain(`"${name}":"1"`);
  send({ verb: 'apply', name: 'a', body: { ...body, data: { key: '1' } }, options });
  expect(stored()).toBe('{"key":"1"}');
});

it('a label selector finds no label that is inherited', () => {
  expect(send({ verb: 'list', options: { labelSelector: 'constructor' } }).body['items']).toEqual([]);
});

it('a field selector knows no field that is inherited', () => {
  expect(send({ verb: 'list', options: { fieldSelector: 'constructor=x' } }).status).toBe(400);
});
