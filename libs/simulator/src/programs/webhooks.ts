import { sleep } from '@ordinal/client';
import type { SimulatedReply } from '../node/program.ts';
import { numberOf } from './flags.ts';
import type { Server } from './server.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a webhook of `agnhost` answers to a request. */
type Judge = (request: Json) => Json | Promise<Json>;

const part = (object: unknown, name: string): Json => {
  const value = typeof object === 'object' && object !== null ? (object as Json)[name] : undefined;
  return typeof value === 'object' && value !== null ? (value as Json) : {};
};
const listIn = (object: Json, name: string): readonly Json[] =>
  (Array.isArray(object[name]) ? object[name] : []) as readonly Json[];

const allowed: Json = { allowed: true };
const denied = (status: Json): Json => ({ allowed: false, status });
const patched = (...operations: readonly Json[]): Json => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: btoa(JSON.stringify(operations)),
});

/** Refuses what has a mark in its data: to be written, or to be deleted. */
const marked =
  (what: string, why: string): Judge =>
  (request) => {
    const isDeletion = request['operation'] === 'DELETE';
    const mark = part(part(request, isDeletion ? 'oldObject' : 'object'), 'data')['webhook-e2e-test'];
    if (!isDeletion && mark === 'webhook-disallow') return denied({ reason: `the ${what} contains unwanted ${why}` });
    if (isDeletion && mark === 'webhook-nondeletable')
      return denied({ reason: `the ${what} cannot be deleted because it contains unwanted key and value` });
    return allowed;
  };

/** Marks data in two stages: the second where the first is done. */
const staged: Judge = (request) => {
  const data = part(part(request, 'object'), 'data');
  const add = (stage: number): Json => patched({ op: 'add', path: `/data/mutation-stage-${stage}`, value: 'yes' });
  if (data['mutation-stage-1'] === 'yes') return add(2);
  return data['mutation-start'] === 'yes' ? add(1) : allowed;
};

const labelled: Judge = (request) => {
  const labels = part(part(part(request, 'object'), 'metadata'), 'labels');
  if (Object.keys(labels).length === 0)
    return patched({ op: 'add', path: '/metadata/labels', value: { 'added-label': 'yes' } });
  const path = '/metadata/labels/added-label';
  if (labels['added-label'] === undefined) return patched({ op: 'add', path, value: 'yes' });
  return labels['added-label'] === 'yes' ? allowed : patched({ op: 'replace', path, value: 'yes' });
};

const pods: Judge = (request) => {
  const pod = part(request, 'object');
  const mark = part(part(pod, 'metadata'), 'labels')['webhook-e2e-test'];
  if (mark === 'wait-forever') return new Promise(() => undefined);
  const mistakes = [
    ...(mark === 'webhook-disallow' ? ['the pod contains unwanted label;'] : []),
    ...listIn(part(pod, 'spec'), 'containers')
      .filter(({ name }) => String(name).includes('webhook-disallow'))
      .map(() => 'the pod contains unwanted container name;'),
  ];
  return mistakes.length === 0 ? allowed : denied({ message: mistakes.join(' ') });
};

const addedInit = 'webhook-added-init-container';

const withInit: Judge = (request) => {
  const pod = part(request, 'object');
  const has = listIn(part(pod, 'spec'), 'initContainers').some(({ name }) => name === addedInit);
  if (has || part(pod, 'metadata')['name'] !== 'webhook-to-be-mutated') return allowed;
  const value = [{ image: 'webhook-added-image', name: addedInit, resources: {} }];
  return patched({ op: 'add', path: '/spec/initContainers', value });
};

const definitions: Judge = (request) =>
  part(part(part(request, 'object'), 'metadata'), 'labels')['webhook-e2e-test'] === 'webhook-disallow'
    ? denied({ message: 'the crd contains unwanted label' })
    : allowed;

/** Refuses who would write to one container of one pod. */
const attached: Judge = (request) => {
  const options = part(request, 'object');
  const isMeant = request['name'] === 'to-be-attached-pod' && options['container'] === 'container1';
  return isMeant && options['stdin'] === true
    ? denied({ message: "attaching to pod 'to-be-attached-pod' is not allowed" })
    : allowed;
};

const judges: Readonly<Record<string, Judge | undefined>> = {
  '/always-deny': () => denied({ message: 'this webhook denies all requests' }),
  '/add-label': labelled,
  '/pods': pods,
  '/pods/attach': attached,
  '/mutating-pods': withInit,
  '/configmaps': marked('configmap', 'key and value'),
  '/mutating-configmaps': staged,
  '/custom-resource': marked('custom resource', 'data'),
  '/mutating-custom-resource': staged,
  '/crd': definitions,
};

const json = (body: Json): SimulatedReply => ({
  status: 200,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

const delayMs = 5000;

/** `webhook`: admission webhooks that judge and change marked objects. */
export const admissionWebhooks: Server = {
  listens: ({ command }) => ({ tcp: [numberOf(command, 'port', 443)] }),
  async http({ url, body }, { clock, terminated }) {
    if (url.pathname === '/readyz') return { status: 200, body: 'ok' };
    const isSlow = url.pathname === '/always-allow-delay-5s';
    const judge = isSlow ? () => allowed : judges[url.pathname];
    if (judge === undefined) return 404;
    if (isSlow) await sleep(clock, delayMs, terminated);
    const { apiVersion, kind, request } = JSON.parse(body) as { apiVersion: string; kind: string; request: Json };
    return json({ apiVersion, kind, response: { uid: request['uid'], ...(await judge(request)) } });
  },
};

/** `crd-conversion-webhook`: in one version a host and its port are one field, in the other two. */
export const conversionWebhook: Server = {
  listens: ({ command }) => ({ tcp: [numberOf(command, 'port', 9443)] }),
  http({ url, body }) {
    if (url.pathname === '/readyz') return { status: 200, body: 'ok' };
    if (url.pathname !== '/crdconvert') return 404;
    const { apiVersion, kind, request } = JSON.parse(body) as { apiVersion: string; kind: string; request: Json };
    const wanted = String(request['desiredAPIVersion']);
    const convertedObjects = listIn(request, 'objects').map((object) => converted(object, wanted));
    const response = { uid: request['uid'], convertedObjects, result: { status: 'Success' } };
    return json({ apiVersion, kind, response });
  },
};

function converted(object: Json, apiVersion: string): Json {
  const { hostPort, host, port, ...rest } = object;
  if (object['apiVersion'] === apiVersion) return object;
  if (apiVersion.endsWith('/v2')) {
    const [ownHost, ownPort] = String(hostPort ?? '').split(':');
    return { ...rest, apiVersion, ...(hostPort !== undefined && { host: ownHost, port: ownPort }) };
  }
  const isGiven = host !== undefined || port !== undefined;
  return { ...rest, apiVersion, ...(isGiven && { hostPort: `${String(host)}:${String(port)}` }) };
}
