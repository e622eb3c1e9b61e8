import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpServer } from '../test/http-server.ts';
import { createClient } from './create-client.ts';
import { httpTransport } from './http-transport.ts';
import { kubeconfigServer } from './kubeconfig.ts';

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
}

const kubeconfig = ({ cluster, user, context }: Parts): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    clusters: [{ name: 'c', cluster: { server: 'https://api.example:6443', ...cluster } }],
    users: [{ name: 'u', user: { ...user } }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', ...context } }],
  });
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a kubeconfig', () => {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ordinal-kubeconfig-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('gives client certificates, CA and the name to expect', async () => {
    const text = kubeconfig({
      cluster: { 'certificate-authority-data': base64('CA'), 'tls-server-name': 'inner.example' },
      user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
      context: { namespace: 'shop' },
    });
    const server = await kubeconfigServer({ text });
    expect([server.url, server.namespace]).toEqual(['https://api.example:6443', 'shop']);
    expect((await server.credentials()).tls).toMatchObject({
      ca: 'CA',
      cert: 'CERT',
      key: 'KEY',
      servername: 'inner.example',
    });
  });

  it('is read from files, what the first says about a name standing', async () => {
    const files = [join(directory, 'first'), join(directory, 'second')];
    await writeFile(files[0]!, kubeconfig({ user: { token: 'first' } }));
    await writeFile(
      files[1]!,
      kubeconfig({ user: { token: 'second' } })
        .replaceAll('"here"', '"there"')
        .replaceAll('"u"', '"v"')
        .replaceAll('"c"', '"d"'),
    );
    const token = async (context?: string): Promise<unknown> => {
      const server = await kubeconfigServer({ files, ...(context !== undefined && { context }) });
      return (await server.credentials()).headers['authorization'];
    };
    expect(await token()).toBe('Bearer first');
    expect(await token('there')).toBe('Bearer second');
  });

  it('may name a server without TLS, as a proxy on the same machine is', async () => {
    const target = await httpServer((_request, response) => response.end('{"reached":true}'));
    const server = await kubeconfigServer({ text: kubeconfig({ cluster: { server: target.api.url } }) });
    const client = createClient({ transport: httpTransport(server) });
    expect(await client.request('GET', '/version')).toEqual({ reached: true });
    await client.close();
    await target.close();
  });

  it('may keep the token and certificates in files beside it, which are read again when they are refused', async () => {
    const file = join(directory, 'beside');
    await writeFile(file, kubeconfig({ cluster: { 'certificate-authority': 'ca.crt' }, user: { tokenFile: 'token' } }));
    await writeFile(join(directory, 'ca.crt'), 'CA');
    await writeFile(join(directory, 'token'), 'old\n');
    const server = await kubeconfigServer({ files: [file] });
    expect(await server.credentials()).toMatchObject({ headers: { authorization: 'Bearer old' }, tls: { ca: 'CA' } });
    await writeFile(join(directory, 'token'), 'new\n');
    server.refresh();
    expect((await server.credentials()).headers).toEqual({ authorization: 'Bearer new' });
  });

  it('asks an exec plugin', async () => {
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: 'of-the-plugin' },
    };
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'echo',
      args: [JSON.stringify(credential)],
      interactiveMode: 'Never',
    };
    const server = await kubeconfigServer({ text: kubeconfig({ user: { exec } }) });
    expect((await server.credentials()).headers['authorization']).toBe('Bearer of-the-plugin');
  });

  it('gives user and password, and whom to act as', async () => {
    const server = await kubeconfigServer({
      text: kubeconfig({ user: { username: 'ann', password: 'pw', as: 'bob' } }),
    });
    expect((await server.credentials()).headers).toMatchObject({
      authorization: `Basic ${base64('ann:pw')}`,
      'impersonate-user': 'bob',
    });
  });

  it('without the context or the user that it names is refused', async () => {
    await expect(kubeconfigServer({ text: kubeconfig({}), context: 'elsewhere' })).rejects.toThrow(
      'no context "elsewhere"',
    );
    await expect(kubeconfigServer({ text: kubeconfig({ context: { user: 'absent' } }) })).rejects.toThrow(
      'no user "absent"',
    );
    await expect(kubeconfigServer({})).rejects.toBeInstanceOf(TypeError);
  });

  it('opens connections through the proxy that it names', async () => {
    const target = await httpServer((_request, response) => response.end('{"reached":true}'));
    const proxy = createServer();
    const asked: (string | undefined)[] = [];
    proxy.on('connect', (request, socket) => {
      asked.push(request.url);
      const { port } = target.server.address() as AddressInfo;
      const onward = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connected\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const cluster = { server: 'https://api.example:6443', 'proxy-url': `http://127.0.0.1:${port}` };
    const server = await kubeconfigServer({ text: kubeconfig({ cluster, user: { token: 't' } }) });
    const socket = await server.openTunnel?.({ host: 'api.example', port: 6443 });
    // The tunnel carries what is written into it to the server behind the proxy.
    expect(socket).toBeDefined();
    expect(asked).toEqual(['api.example:6443']);
    socket?.write('GET /version HTTP/1.1\r\nhost: api.example\r\n\r\n');
    const [reply] = (await once(socket!, 'data')) as [Buffer];
    expect(reply.toString()).toContain('200 OK');
    socket?.destroy();
    await target.close();
    proxy.close();
  });
});
