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
  expect(messages.map((message) => message[0])).toEqual([1, 3]);
  expect(messages[0]?.subarray(1).toString()).toBe('cat input');
  expect(messages[1]?.subarray(1).toString()).toContain('NonZeroExitCode');
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
