import { pods, validatingWebhookConfigurations } from '@ordinal/client';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../index.ts';
import { create, object } from '../../test/objects.ts';

let cluster: SimulatedCluster;
const app = { namespace: 'default', pod: 'app' };

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false });
  cluster.image('app:1', {
    run: (process) =>
      new Promise(() => {
        process.log('one');
        process.log('two');
      }),
    http: ({ url, method }) => ({ status: 200, body: `${method} ${url.pathname}${url.search}` }),
    exec: ([name = '', ...rest], _, stdin) => ({
      exitCode: name === 'fail' ? 3 : 0,
      stdout: `${rest.join(' ')}${stdin}`,
      stderr: name === 'fail' ? 'no' : '',
    }),
  });
  await create(cluster, pods, object('v1 Pod', 'app', { spec: { containers: [{ name: 'main', image: 'app:1' }] } }));
  await cluster.run({ until: () => cluster.objects.find(pods, 'default', 'app')?.status?.phase === 'Running' });
});
afterEach(() => cluster.stop());

test('logs are what the process has written', async () => {
  expect(await cluster.client().pods.logs(app)).toBe('one\ntwo\n');
  expect(await cluster.client().pods.logs(app, { tailLines: 1 })).toBe('two\n');
  cluster.process('default', 'app')?.kill();
  await cluster.advance(5000);
  expect(await cluster.client().pods.logs(app, { previous: true })).toBe('one\ntwo\n');
});

test('commands run in the container, and end as a real kubelet tells it', async () => {
  const exec = async (command: string, input?: string): Promise<readonly string[]> => {
    const query = new URLSearchParams({ command, stdin: String(input !== undefined), stdout: 'true', stderr: 'true' });
    const path = `/api/v1/namespaces/default/pods/app/exec?${query.toString()}`;
    const channel = await cluster.transport().connect({ method: 'GET', path, protocols: ['v5.channel.k8s.io'] });
    if (input !== undefined) {
      channel.send(Buffer.from(`\0${input}`));
      channel.send(Uint8Array.of(255, 0));
    }
    const received: string[] = [];
    for await (const message of channel.messages)
      received.push(`${message[0] ?? ''} ${Buffer.from(message.subarray(1)).toString('utf8')}`);
    return received;
  };
  expect(await exec('cat', 'from outside')).toEqual(['1 ', '1 from outside', '3 {"metadata":{},"status":"Success"}']);
  expect((await exec('fail')).at(1)).toBe('2 no');
  expect((await exec('fail')).at(-1)).toContain(
    '"reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}',
  );
});

test('a path that begins with two slashes leads to no other host', async () => {
  const path = '/api/v1/namespaces/default/pods/app:8080/proxy//elsewhere.example/ready';
  const reply = await cluster.transport().send({ method: 'GET', path });
  expect(reply.status).toBe(200);
  expect(await text(reply.body)).toBe('GET //elsewhere.example/ready');
});

test('requests are proxied to pods', async () => {
  const reply = await cluster
    .client()
    .pods.proxy({ kind: 'pods', namespace: 'default', name: 'app', port: 8080, path: '/ready?now=1' });
  expect(reply).toEqual({ status: 200, body: 'GET /ready?now=1' });
});

test('without a port, a request goes to the first that a container declares', async () => {
  cluster.image('where:1', { http: ({ url }) => ({ status: 200, body: url.port }) });
  const containers = [{ name: 'main', image: 'where:1', ports: [{ containerPort: 9376 }] }];
  await create(cluster, pods, object('v1 Pod', 'where', { spec: { containers } }));
  await cluster.advance(5000);
  const request = { method: 'GET', path: '/api/v1/namespaces/default/pods/where/proxy/' } as const;
  const { body } = await cluster.transport().send(request);
  let text = '';
  for await (const chunk of body) text += new TextDecoder().decode(chunk);
  expect(text).toBe('9376');
});

test('what is not there is refused in the words of the real server', async () => {
  await expect(cluster.client().pods.logs({ ...app, pod: 'other' })).rejects.toThrow('pods "other" not found');
  await expect(cluster.client().pods.logs({ ...app, container: 'side' })).rejects.toThrow(
    'container side is not valid for pod app',
  );
});

test('there is no answer for a pod whose node can not be reached', async () => {
  const node = cluster.node(cluster.objects.find(pods, 'default', 'app')?.spec.nodeName ?? '');
  node.fail('partition');
  const { pods: asked } = cluster.client();
  const unreachable = 'can not be reached';
  await expect(cluster.play(() => asked.logs(app))).rejects.toThrow(unreachable);
  await expect(cluster.play(() => asked.exec(app, ['true']))).rejects.toThrow(unreachable);
  const proxied = { method: 'GET', path: '/api/v1/namespaces/default/pods/app:8080/proxy/' } as const;
  const begun = cluster.clock.now();
  expect(await cluster.play(() => cluster.transport().send(proxied), 60_000)).toMatchObject({ status: 503 });
  expect(cluster.clock.now() - begun).toBeGreaterThanOrEqual(30_000);
  const ip = cluster.objects.find(pods, 'default', 'app')?.status?.podIP ?? '';
  await expect(cluster.play(() => cluster.http(`http://${ip}:8080/`), 60_000)).rejects.toThrow('fetch failed');
  node.recover();
  expect(await cluster.client().pods.logs(app)).toBe('one\ntwo\n');
  expect(await cluster.transport().send(proxied)).toMatchObject({ status: 200 });
});

test('followed logs go on until the process ends', async () => {
  const path = '/api/v1/namespaces/default/pods/app/log?follow=true&tailLines=1';
  const { body } = await cluster.transport().send({ method: 'GET', path });
  const lines = body[Symbol.asyncIterator]();
  const next = async (): Promise<string> => Buffer.from((await lines.next()).value as Uint8Array).toString('utf8');
  expect(await next()).toBe('two\n');
  const coming = next();
  cluster.process('default', 'app')?.view.log('three');
  expect(await coming).toBe('three\n');
  const end = lines.next();
  cluster.process('default', 'app')?.kill();
  expect(await end).toMatchObject({ done: true });
});

test('who attaches sees what is written from then on', async () => {
  const path = '/api/v1/namespaces/default/pods/app/attach?stdout=true';
  const channel = await cluster.transport().connect({ method: 'GET', path, protocols: ['v5.channel.k8s.io'] });
  const messages = channel.messages[Symbol.asyncIterator]();
  expect((await messages.next()).value).toEqual(Buffer.of(1));
  const coming = messages.next();
  cluster.process('default', 'app')?.view.log('three');
  expect(Buffer.from((await coming).value as Uint8Array).toString('utf8')).toBe('\u0001three\n');
});

test('logs, commands and proxied requests need a permission of their own', async () => {
  cluster.stop();
  cluster = await SimulatedCluster.start({ events: false, rbac: true });
  const alice = cluster.transport({ name: 'alice' });
  const pod = '/api/v1/namespaces/default/pods/app';
  for (const path of [`${pod}/log`, `${pod}:80/proxy/`])
    expect(await alice.send({ method: 'GET', path })).toMatchObject({ status: 403 });
  const request = { method: 'GET', path: `${pod}/exec?command=true`, protocols: ['v5.channel.k8s.io'] } as const;
  await expect(alice.connect(request)).rejects.toThrow(/cannot get resource "pods\/exec"/);
});

test('webhooks are asked about connections to pods, and allow them or not', async () => {
  const asked: unknown[] = [];
  cluster.external('https://gate.example', ({ body }) => {
    const { request } = JSON.parse(body) as {
      request: { uid: string; name: string; subResource: string; object: unknown };
    };
    asked.push([request.name, request.subResource, request.object]);
    const response = { uid: request.uid, allowed: request.subResource === 'proxy', status: { message: 'not here' } };
    return {
      status: 200,
      body: JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }),
    };
  });
  const webhook = {
    name: 'gate.example.com',
    clientConfig: { url: 'https://gate.example/' },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'], resources: ['pods/*'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const registration = object(
    'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration',
    'gate',
    { webhooks: [webhook] },
    { namespace: undefined },
  );
  await create(cluster, validatingWebhookConfigurations, registration);
  const path = '/api/v1/namespaces/default/pods/app/exec?command=cat&command=x&stdout=true&container=main';
  const exec = cluster.transport().connect({ method: 'GET', path, protocols: ['v5.channel.k8s.io'] });
  await expect(exec).rejects.toThrow('admission webhook "gate.example.com" denied the request: not here');
  const proxied = { kind: 'pods', namespace: 'default', name: 'app', port: 8080, path: '/ready' } as const;
  expect(await cluster.client().pods.proxy(proxied)).toMatchObject({ status: 200 });
  expect(asked).toEqual([
    [
      'app',
      'exec',
      { apiVersion: 'v1', kind: 'PodExecOptions', stdout: true, container: 'main', command: ['cat', 'x'] },
    ],
    ['app', 'proxy', { apiVersion: 'v1', kind: 'PodProxyOptions', path: '/ready' }],
  ]);
});
