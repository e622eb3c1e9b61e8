import { request as httpRequest } from 'node:http';
import { pods } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { SimulatedCluster } from '../index.ts';
import { listen } from './listen.ts';
import type { Listening } from './listen.ts';

let cluster: SimulatedCluster;
let listening: Listening;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ pace: 100 });
  cluster.image('app:1', {
    run: ({ log }) => {
      log('one');
      log('two');
      return new Promise(() => undefined);
    },
    exec: (command, _process, stdin) => ({ exitCode: 3, stdout: `${command.join(' ')} ${stdin}` }),
  });
  await cluster
    .client()(pods)
    .namespace('default')
    .create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default' },
      spec: { containers: [{ name: 'main', image: 'app:1' }] },
    } as never);
  await cluster.run({ until: () => cluster.objects.find(pods, 'default', 'web')?.status?.phase === 'Running' });
  listening = await listen(cluster);
  void cluster.keepRunning();
});
afterEach(async () => {
  cluster.stop();
  await listening.close();
});

const web = '/api/v1/namespaces/default/pods/web';

test('the nodes of a cluster answer for proxied requests over HTTP', async () => {
  const reply = await fetch(`${listening.url}${web}:80/proxy/`);
  expect(reply.status).toBe(200);
});

test('a command in a pod runs over a WebSocket, and its exit code comes last', async () => {
  const url = `${listening.url.replace('http', 'ws')}${web}/exec?command=cat&stdin=true&stdout=true`;
  const client = new WebSocket(url, ['v5.channel.k8s.io']);
  const messages: Buffer[] = [];
  client.on('message', (data: Buffer) => messages.push(data));
  client.on('open', () => {
    client.send(Buffer.concat([Uint8Array.of(0), Buffer.from('input')]));
    client.send(Uint8Array.of(255, 0));
  });
  await new Promise((resolve) => client.on('close', resolve));
  expect(messages.map((message) => message[0])).toEqual([1, 1, 3]);
  expect(messages[0]).toHaveLength(1);
  expect(messages[1]?.subarray(1).toString()).toBe('cat input');
  expect(messages[2]?.subarray(1).toString()).toContain('NonZeroExitCode');
});

/** All messages of a WebSocket until it is closed, texts as they are and bytes as letters; `begin` sends the first one. */
async function received(path: string, protocols: string[], begin?: string | Buffer): Promise<readonly string[]> {
  const client = new WebSocket(`${listening.url.replace('http', 'ws')}${web}/${path}`, protocols);
  const messages: string[] = [];
  client.on('message', (data: Buffer, isBinary) =>
    messages.push(isBinary ? data.toString('latin1') : `text ${data.toString()}`),
  );
  client.on('open', () => begin !== undefined && client.send(begin));
  client.on('unexpected-response', (_request, response) => {
    messages.push(`refused ${response.statusCode}`);
    client.terminate();
  });
  client.on('error', () => undefined);
  await new Promise((resolve) => client.on('close', resolve));
  return messages;
}
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const sentence = 'command terminated with non-zero exit code: exit status 3';

test.each([[['channel.k8s.io']], [['none', 'channel.k8s.io']], [[]]])(
  'a command over the oldest protocol ends with a sentence: %j',
  async (protocols) => {
    const messages = await received('exec?command=cat&stdout=1&stderr=1', protocols);
    expect(messages).toEqual(['\x01', '\x01cat ', `\x03${sentence}`]);
  },
);

test('a command in text, and one whose input the protocol can not close', async () => {
  const text = await received('exec?command=cat&stdout=true', ['base64.channel.k8s.io']);
  expect(text).toEqual(['text 1', `text 1${base64('cat ')}`, `text 3${base64(sentence)}`]);
  const both = await received('exec?command=cat&stdin=1&stdout=1', ['v4.base64.channel.k8s.io'], `0${base64('in')}`);
  expect(both[1]).toBe(`text 1${base64('cat in')}`);
  expect(Buffer.from(both[2]?.slice('text 3'.length) ?? '', 'base64').toString()).toContain('NonZeroExitCode');
});

test('the streams of a command that were not asked for stay away, and one has to be', async () => {
  const messages = await received('exec?command=cat&stdout=false&stderr=true', ['v4.channel.k8s.io']);
  expect(messages.map((message) => message.charCodeAt(0))).toEqual([2, 3]);
  expect(await received('exec?command=cat', ['v4.channel.k8s.io'])).toEqual(['refused 400']);
});

test('logs over a WebSocket, in bytes and in text', async () => {
  expect(await received('log', ['binary.k8s.io'])).toEqual(['', 'one\ntwo\n']);
  expect(await received('log', ['base64.binary.k8s.io'])).toEqual(['text ', `text ${base64('one\ntwo\n')}`]);
  expect(await received('log?container=other', ['binary.k8s.io'])).toEqual(['refused 400']);
  expect(await received('log', ['channel.k8s.io'])).toEqual(['refused 403']);
  expect(await received('exec?command=cat&stdout=1', ['binary.k8s.io'])).toEqual(['refused 403']);
});

test('a WebSocket for a pod that is not there is refused with its Status', async () => {
  const url = `${listening.url.replace('http', 'ws')}${web}-x/exec?command=true`;
  const client = new WebSocket(url, ['v5.channel.k8s.io']);
  const code = await new Promise((resolve) => {
    client.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    client.on('error', () => undefined);
  });
  expect(code).toBe(404);
});

const configMaps = '/api/v1/namespaces/default/configmaps';
const post = (body: string): Promise<Response> =>
  fetch(`${listening.url}${configMaps}`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });

test('a body that is too large is refused, and the next one is read', async () => {
  expect((await post(`{"data":{"a":"${'x'.repeat(8 * 1024 * 1024)}"}}`)).status).toBe(413);
  expect((await post('{"metadata":{"name":"a"}}')).status).toBe(201);
});

test('a client that says nothing of itself is the manager “unknown”', async () => {
  const { status, reply } = await rawPost('{"metadata":{"name":"a"},"data":{"a":"b"}}');
  expect(status).toBe(201);
  expect(reply).toContain('"manager":"unknown"');
});

/** Without the headers that `fetch` adds. */
function rawPost(body: string): Promise<{ readonly status: number; readonly reply: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const request = httpRequest(`${listening.url}${configMaps}`, { method: 'POST', headers }, (incoming) => {
      let reply = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (text: string) => (reply += text));
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, reply }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

test('an address that is none, and an unknown method', async () => {
  expect((await fetch(`${listening.url}${configMaps}/%zz`)).status).toBe(400);
  expect((await fetch(`${listening.url}${configMaps}`, { method: 'OPTIONS' })).status).toBe(405);
});

test('a connection is kept longer than clients in Go keep it', async () => {
  const reply = await fetch(`${listening.url}/version`);
  expect(reply.headers.get('keep-alive')).toBe('timeout=120');
});
