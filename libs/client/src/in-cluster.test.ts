import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { virtualClock } from '../test/virtual-clock.ts';
import { inClusterNamespace, inClusterServer } from './in-cluster.ts';

describe('credentials in the cluster', () => {
  let directory = '';
  const write = async (token: string): Promise<void> => writeFile(join(directory, 'token'), `${token}\n`);
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ordinal-account-'));
    await writeFile(join(directory, 'ca.crt'), 'CA');
    await writeFile(join(directory, 'namespace'), 'shop\n');
    await write('one');
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('are the mounted token and CA', async () => {
    const server = inClusterServer({ host: 'fd00::1', port: '443', directory });
    expect(server.url).toBe('https://[fd00::1]:443');
    expect(await server.credentials()).toEqual({ headers: { authorization: 'Bearer one' }, tls: { ca: 'CA' } });
    expect(await inClusterNamespace(directory)).toBe('shop');
  });

  it('are read again each minute, as they rotate', async () => {
    const clock = virtualClock();
    const server = inClusterServer({ host: 'h', port: '443', directory, clock });
    const token = async (): Promise<string | undefined> => (await server.credentials()).headers['authorization'];
    await token();
    await write('two');
    expect(await token()).toBe('Bearer one');
    await clock.runAll(new Promise<void>((resolve) => clock.after(60_000, resolve)));
    expect(await token()).toBe('Bearer two');
  });

  it('are read again at once when the server refuses them', async () => {
    const server = inClusterServer({ host: 'h', port: '443', directory });
    await server.credentials();
    await write('two');
    server.refresh();
    expect((await server.credentials()).headers['authorization']).toBe('Bearer two');
  });

  it('that can not be read are not remembered as missing', async () => {
    const server = inClusterServer({ host: 'h', port: '443', directory });
    await rm(join(directory, 'token'));
    await expect(server.credentials()).rejects.toMatchObject({ code: 'ENOENT' });
    await write('late');
    expect((await server.credentials()).headers['authorization']).toBe('Bearer late');
  });
});
