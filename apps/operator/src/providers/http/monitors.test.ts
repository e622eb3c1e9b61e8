import { expect, test } from 'vitest';
import type { OutsideRequest } from './exchange.ts';
import { httpMonitors } from './monitors.ts';

const signal = new AbortController().signal;

/** A service that answers POST and DELETE, and everything else with a status. */
function service(status: number) {
  const asked: OutsideRequest[] = [];
  const exchange = (request: OutsideRequest) => {
    asked.push(request);
    const { method } = request;
    const body = method === 'POST' ? { monitorID: 'mon-team-db' } : undefined;
    return Promise.resolve({ status: method === 'POST' ? 201 : method === 'DELETE' ? 204 : status, headers: {}, body });
  };
  const monitors = httpMonitors({ exchange, policy: { allowedNetworks: [] }, callTimeoutMs: 1_000, settleMs: 10_000 });
  return { asked, system: monitors.at('https://monitor.example/api', undefined) };
}

test.each([404, 405, 501])('a service that answers %i to a look-up offers none', async (status) => {
  const { system } = service(status);
  await expect(system.findByOwner('uid', signal)).rejects.toMatchObject({ code: 'Unsupported' });
});

test('a service with POST and DELETE only is registered at with the key in a header, and by its own ID', async () => {
  const { system, asked } = service(405);
  const desired = { serviceName: 'db', namespace: 'team', muted: false };
  const view = await system.create({ token: 'uid-1', owner: 'uid', desired }, signal);
  expect(view).toMatchObject({ id: 'mon-team-db', owner: 'uid' });
  await system.delete({ id: view.id }, signal);
  expect(asked).toMatchObject([
    { method: 'POST', headers: { 'idempotency-key': 'uid-1' }, body: { serviceName: 'db', namespace: 'team' } },
    { method: 'DELETE', url: new URL('https://monitor.example/api/mon-team-db') },
  ]);
});
