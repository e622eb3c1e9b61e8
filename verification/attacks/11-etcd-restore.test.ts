import { setTimeout as pause } from 'node:timers/promises';
import { configMaps, createClient, httpTransport, namespaces, systemClock } from '@ordinal/client';
import { afterAll, describe, expect, it } from 'vitest';
import { awaitChange, controller, createManager } from '@ordinal/runtime';
import type { Logger, Manager } from '@ordinal/runtime';
import { canStart, startControlPlane } from '../../libs/runtime/test/real/control-plane.ts';

const namespace = 'restored';
const noticed = 'older state';

/** How long a restore may take to be noticed, or to be read, in milliseconds: what is promised. */
const promisedMs = 30_000;

/** The lines that are logged, each with its time. */
function memory(): { readonly logger: Logger; readonly seen: () => number } {
  const lines: string[] = [];
  const note = (_fields: object, message: string): void => void lines.push(message);
  const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
  return { logger, seen: () => lines.filter((line) => line.includes(noticed)).length };
}

describe('an operator at a real API server whose etcd is restored to an older state', async () => {
  if (!canStart) {
    it.skip(
      'skipped: there is no etcd or no kube-apiserver, and the simulated one has no data on a disk; npm run cluster -- build makes them',
    );
    return;
  }
  const plane = await startControlPlane(['user', 'operator'], namespace);
  const clientOf = (user: string) =>
    createClient({ transport: httpTransport(plane.as(user)), retry: { attempts: 20 }, timeoutMs: 30_000 });
  const [user, operator] = [clientOf('user'), clientOf('operator')];
  const maps = user(configMaps).namespace(namespace);
  const put = (name: string, value: string) => maps.patch(name, { type: 'merge', body: { data: { value } } });
  const create = (name: string) =>
    maps.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels: { restored: 'yes' } },
      data: { value: '1' },
    });
  const managers: Manager[] = [];
  const firstLog = memory();
  afterAll(async () => {
    await Promise.all(managers.map((manager) => manager.stop()));
    await Promise.all([user.close(), operator.close()]);
    await plane.stop();
  });

  /** Starts an operator that copies `value` to `copied`, with a lease. */
  const start = (log: Logger): Manager => {
    const manager = createManager({
      client: operator,
      clock: systemClock,
      random: Math.random,
      name: 'example.com/restored',
      identity: 'restored',
      namespaces: [namespace],
      logger: log,
      leaderElection: { namespace, name: 'restored' },
    }).add(
      controller('maps')
        .for(configMaps, { labelSelector: 'restored', predicate: () => true })
        .reconcile(async (key, { cache, client }) => {
          const map = cache.get(configMaps, key);
          if (map === undefined || map.data?.['copied'] === map.data?.['value']) return awaitChange();
          const { uid, resourceVersion } = map.metadata;
          const body = { metadata: { uid, resourceVersion }, data: { copied: map.data?.['value'] } };
          await client(configMaps).namespace(key.namespace).patch(key.name, { type: 'merge', body });
          return awaitChange();
        }),
    );
    managers.push(manager);
    void manager.start();
    return manager;
  };
  const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<number> => {
    const from = Date.now();
    while (!(await holds())) {
      if (Date.now() - from > promisedMs) throw new Error(`${what}: not within ${promisedMs / 1000} s`);
      await pause(50);
    }
    return Date.now() - from;
  };
  const copied = async (name: string, value: string): Promise<boolean> =>
    (await maps.find(name))?.data?.['copied'] === value;
  const shown = (manager: Manager): readonly string[] =>
    manager
      .reader('maps')
      .list(configMaps)
      .map(({ metadata: { name }, data }) => `${name} ${data?.['value'] ?? ''}`)
      .toSorted();

  it('has everything listed anew within 30 s, and does what is asked for then, after both have started again', async () => {
    await user(namespaces)
      .cluster()
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    for (const name of ['a', 'b']) await create(name);
    const { seen } = firstLog;
    const manager = start(firstLog.logger);
    await until('the first copies', async () => (await copied('a', '1')) && copied('b', '1'));
    await plane.backUp();
    await until('readiness', () => manager.readiness().ready && manager.leads());
    for (const value of ['2', '3', '4']) await put('a', value);
    await create('later');
    await until('what is lost then', async () => (await copied('a', '4')) && copied('later', '1'));
    const before = seen();
    await plane.restore();
    const noticedMs = await until('the restore is noticed', () => seen() > before);
    const listedMs = await until('all is listed', () => {
      const all = manager.readiness().ready ? shown(manager) : [];
      return all.join() === 'a 1,b 1';
    });
    await put('b', '5');
    const workedMs = await until('what is asked for then', () => copied('b', '5'));
    console.log(
      `both restarted: noticed ${noticedMs} ms after the API server was ready, all listed ${listedMs} ms later; then a change was acted on in ${workedMs} ms`,
    );
    expect(noticedMs + listedMs).toBeLessThan(promisedMs);
    expect(seen() - before).toBe(1);
  }, 180_000);

  it('takes a restart of the API server alone for what it is', async () => {
    const [manager] = managers as [Manager];
    const before = firstLog.seen();
    await put('b', '6');
    await plane.restart();
    await put('b', '7');
    await until('what is asked for then', () => copied('b', '7'));
    await until('readiness', () => manager.readiness().ready && manager.leads());
    expect(firstLog.seen() - before).toBe(0);
  }, 180_000);

  it('notices it by its lease where the API server goes on, and has everything listed anew when that has started again', async () => {
    const [manager] = managers as [Manager];
    await manager.stop();
    managers.splice(0);
    const { logger, seen } = memory();
    const second = start(logger);
    await until('leadership', () => second.leads());
    await plane.backUp();
    await until('readiness', () => second.readiness().ready && second.leads());
    for (const value of ['6', '7', '8']) await put('a', value);
    await create('latest');
    await until('what is lost then', async () => (await copied('a', '8')) && copied('latest', '1'));
    // The lease is renewed every two seconds: what is lost was written longer ago than that.
    await pause(5_000);
    const before = seen();
    await plane.restore({ keepsServer: true });
    const noticedMs = await until('the restore is noticed', () => seen() > before);
    await plane.restart();
    const listedMs = await until('all is listed', () => {
      const all = second.readiness().ready ? shown(second) : [];
      return all.join() === 'a 1,b 7';
    });
    await until('leadership after it', () => second.leads());
    await put('b', '9');
    const workedMs = await until('what is asked for then', () => copied('b', '9'));
    console.log(
      `API server kept running: noticed after ${noticedMs} ms; restarted then, all listed ${listedMs} ms after it was ready; a change was acted on in ${workedMs} ms`,
    );
  }, 180_000);
});
