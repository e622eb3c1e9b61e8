import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { issueCertificate } from '@ordinal/runtime/webhooks';
import type { IssuedCertificate } from '@ordinal/runtime/webhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { checkedLookup } from '../src/providers/network/checked-lookup.ts';
import { postgresServer } from '../src/providers/postgres/postgres.ts';
import { postgresPrograms, startPostgres } from './servers/postgres.ts';
import type { PostgresProcess } from './servers/postgres.ts';

const programs = postgresPrograms();
const { signal } = new AbortController();
const host = 'database.test';
const desired = {
  engine: 'postgres',
  size: 'small',
  displayName: 'shop/orders',
  username: 'ordinal',
  password: 'first-password',
} as const;

describe.skipIf(programs === undefined)(
  'a PostgreSQL server that lets in over TLS only (skipped where Debian’s package postgresql is not installed)',
  () => {
    const trusted = getCACertificates();
    let issued: IssuedCertificate;
    let server: PostgresProcess;
    beforeAll(async () => {
      issued = await issueCertificate({ dnsNames: [host], now: Date.now(), validMs: 3_600_000 });
      server = await startPostgres(programs ?? '', issued);
    });
    afterEach(() => setDefaultCACertificates(trusted));
    afterAll(async () => (server as PostgresProcess | undefined)?.remove());

    /** The provider at the server, by one of the names that lead there. */
    const providerAt = (name: string, sslMode: 'verify-full' | 'disable' = 'verify-full') =>
      postgresServer({
        host: name,
        port: server.port,
        username: 'admin',
        password: server.password,
        database: 'postgres',
        sslMode,
        lookup: checkedLookup({ allowedNetworks: ['127.0.0.1/32'] }, (_name, _options, answer) =>
          answer(null, [{ address: '127.0.0.1', family: 4 }]),
        ),
        callTimeoutMs: 20_000,
      });
    const trust = (authority: string) => setDefaultCACertificates([...trusted, authority]);

    test('keeps databases for whoever trusts its authority and calls it by its name', async () => {
      trust(issued.authority);
      const provider = providerAt(host);
      const made = await provider.create({ token: 'tls-1', owner: 'tls', desired }, signal);
      await provider.update(made.id, { size: 'large', password: 'second-password' }, signal);
      expect(await provider.findByOwner('tls', signal)).toMatchObject([{ id: made.id, size: 'large', host }]);
      await provider.delete({ id: made.id }, signal);
      expect(await provider.get(made.id, signal)).toBeUndefined();
    });

    test('is refused where its authority is not trusted', async () => {
      const wrong = { code: 'Unreachable', applied: 'no', message: expect.stringContaining('verify') as string };
      await expect(providerAt(host).get('orders', signal)).rejects.toMatchObject(wrong);
      const other = await issueCertificate({ dnsNames: [host], now: Date.now(), validMs: 3_600_000 });
      trust(other.authority);
      await expect(providerAt(host).get('orders', signal)).rejects.toMatchObject({
        code: 'Unreachable',
        applied: 'no',
      });
    });

    test.each(['other.test', '127.0.0.1'])('is refused as %s: its certificate is for another host', async (name) => {
      trust(issued.authority);
      const message = expect.stringContaining('altnames') as string;
      await expect(providerAt(name).get('orders', signal)).rejects.toMatchObject({ code: 'Unreachable', message });
    });

    test('lets no client in that does not speak TLS', async () => {
      const refused = { code: 'Unauthorized', retry: 'wait', applied: 'no' };
      await expect(providerAt(host, 'disable').get('orders', signal)).rejects.toMatchObject(refused);
    });
  },
);
