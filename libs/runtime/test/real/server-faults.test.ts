import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createClient, httpTransport } from '@ordinal/client';
import type { ApiServer } from '@ordinal/client';
import { canStart, startControlPlane } from './control-plane.ts';
import { startCopying } from './copying.ts';
import type { Fault } from './faulty-transport.ts';
import { FaultyTransport } from './faulty-transport.ts';
import { tcpProxy } from './tcp-proxy.ts';

// SERVER_CHANGES and SERVER_RESTARTS: how many changes are made, and how often the API server is killed and started meanwhile. Without SERVER_CHANGES it is skipped.
const changes = Number(process.env['SERVER_CHANGES'] ?? 0);
const restarts = Number(process.env['SERVER_RESTARTS'] ?? 2);
const objects = 100;
const namespace = 'faults';

/** The operator's credentials, which expire now and then: the server then answers 401 until they are read again. */
function expiring(server: ApiServer): ApiServer & { expire(): void; readonly renewed: () => number } {
  let valid = true;
  let renewed = 0;
  return {
    ...server,
    async credentials() {
      const { headers, tls } = await server.credentials();
      return { headers: valid ? headers : { authorization: 'Bearer expired' }, tls };
    },
    refresh() {
      if (!valid) renewed += 1;
      valid = true;
    },
    expire: () => void (valid = false),
    renewed: () => renewed,
  };
}

describe('an operator at a real API server that fails in every way', async () => {
  if (changes === 0 || !canStart) {
    it.skip(canStart ? 'skipped: SERVER_CHANGES is not set' : 'skipped: there is no kube-apiserver');
    return;
  }
  const plane = await startControlPlane(['user', 'operator'], namespace);
  const user = createClient({
    transport: httpTransport(plane.as('user')),
    retry: { attempts: 20 },
    timeoutMs: 120_000,
  });
  const proxy = await tcpProxy({ host: '127.0.0.1', port: plane.port });
  const credentials = expiring(plane.as('operator'));
  const transport = new FaultyTransport(httpTransport({ ...credentials, url: `https://127.0.0.1:${proxy.port}` }));
  const operator = createClient({ transport, timeoutMs: 5000 });
  afterAll(async () => {
    await operator.close();
    await proxy.close();
    await user.close();
    await plane.stop();
  });

  it(
    `reconciles every one of ${changes} changes through ${restarts} restarts, none of them twice at a time`,
    async () => {
      const timing = { silenceMs: 5000, backoffBaseMs: 50, backoffCapMs: 1000 };
      const copying = await startCopying({ user, operator, name: 'faults', namespace, objects, timing });
      const faults: readonly Fault[] = ['expired', 'too many requests', 'error on list', 'slow', 'stalled'];
      let next = 1;
      const change = async (): Promise<void> => {
        // More than were asked for, where not every fault has struck yet.
        for (let mine = next++; mine <= changes || transport.struck.size < faults.length; mine = next++) {
          // Through a restart the user tries again until it is done.
          for (let done = false; !done;)
            done = await copying.want(mine).then(
              () => true,
              () => pause(200, false),
            );
        }
      };
      let over = false;
      const breaking = (async (): Promise<void> => {
        for (let round = 0; !over; round += 1) {
          const fault = faults[round % faults.length];
          transport.set(fault);
          if (fault === 'expired' || fault === 'error on list' || round % 3 === 0) proxy.reset();
          await pause(fault === 'stalled' ? 800 : 400);
          transport.set(undefined);
          credentials.expire();
          await pause(400);
        }
      })();
      const restarting = (async (): Promise<void> => {
        for (let round = 1; round <= restarts; round += 1) {
          // Spread over the changes; what is left of them comes after the last one.
          while (next < (changes * round) / (restarts + 1)) await pause(50);
          await plane.restart();
        }
      })();
      const startedAt = Date.now();
      await Promise.all([change(), change(), change(), change(), restarting]);
      over = true;
      await breaking;
      const settlingFrom = Date.now();
      const left = await copying.leftBehind();
      console.log(
        `${next - 1} changes and ${restarts} restarts in ${settlingFrom - startedAt} ms, settled ${Date.now() - settlingFrom} ms later;`,
        `tokens renewed ${credentials.renewed()}; struck ${JSON.stringify(Object.fromEntries(transport.struck))}`,
      );
      expect(left).toEqual([]);
      expect(await copying.stop()).toEqual({ twice: 0, unhandled: [] });
      expect([...transport.struck.keys()].sort()).toEqual([...faults].sort());
      expect(credentials.renewed()).toBeGreaterThan(0);
    },
    120_000 + restarts * 60_000 + changes * 100,
  );
});
