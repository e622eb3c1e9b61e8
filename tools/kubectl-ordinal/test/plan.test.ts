import { expect, onTestFinished, test } from 'vitest';
import { pluginWorld } from './plugin-world.ts';
import type { PluginWorld } from './plugin-world.ts';
import { cacheNow, changeCache, readyCache, readyStore, until } from './resources.ts';

async function started() {
  const world = await pluginWorld();
  onTestFinished(() => world.stop());
  return world;
}

interface Planned {
  readonly steps: readonly { readonly kind: string; readonly what: string; readonly because?: string }[];
  readonly writes: readonly { readonly method: string; readonly path: string }[];
  readonly endsBefore?: string;
}

const planned = async ({ run }: PluginWorld, line: string): Promise<Planned> => {
  const { exitCode, out, err } = await run(`${line} -o json`);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  return JSON.parse(out) as Planned;
};

/** The writes that the operator sends from now on, until it is quiet or has sent so many. */
async function writesOf({ cluster, operator }: PluginWorld, count: number): Promise<readonly string[]> {
  const sent: string[] = [];
  const stop = operator.hook({
    before: ({ kind, method, target }) =>
      void (kind === 'write' && !/events|leases/.test(target) && sent.push(`${method} ${target}`)),
  });
  operator.restart(0);
  await cluster.run({ until: () => sent.length >= count, maxVirtualMs: 60_000 });
  stop();
  return sent.slice(0, count);
}

const shown = ({ writes }: Planned) => writes.map(({ method, path }) => `${method} ${path}`);

test('a resource as it should be: nothing is to be done, and nothing was written', async () => {
  const world = await started();
  await readyCache(world.cluster);
  await readyStore(world.cluster);
  for (const line of ['plan ccache/sessions', 'plan kvs/carts'])
    expect(await planned(world, line)).toMatchObject({ steps: [], writes: [] });
  expect(world.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
});

test('each step of an upgrade: the writes that are planned are those that follow, in order', async () => {
  const world = await started();
  const { cluster, operator } = world;
  await readyCache(cluster);
  operator.crash();
  await changeCache(cluster, { image: 'cache:2' });
  let compared = 0;
  for (let step = 1; step <= 12; step += 1) {
    const plan = await planned(world, 'plan ccache/sessions');
    if (plan.writes.length === 0) {
      operator.restart(0);
      await cluster.advance(1_000);
      operator.crash();
      continue;
    }
    expect(await writesOf(world, plan.writes.length), JSON.stringify(plan.steps)).toEqual(shown(plan));
    operator.crash();
    compared += plan.writes.length;
  }
  expect(compared).toBeGreaterThan(10);
  expect(world.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
});

test('a closed gate is asked, and what is planned says so, with reasons', async () => {
  const world = await started();
  const { cluster } = world;
  await readyCache(cluster, { image: 'cache:stubborn' });
  world.operator.crash();
  await changeCache(cluster, { image: 'cache:2' });
  const { out } = await world.run('plan ccache/sessions');
  expect(out).toContain('ClusteredCache shop/sessions: the operator would');
  expect(out).toContain('apply StatefulSet shop/sessions, because ');
  world.operator.restart(0);
  await until(cluster, 'the gate', () => cacheNow(cluster)?.status?.upgrade?.blockedBy?.startsWith('gate ') === true);
  const waiting = await planned(world, 'plan ccache/sessions');
  expect(waiting.steps.filter(({ kind }) => kind === 'action')).toEqual([]);
  expect(world.requests.some((request) => request.includes('/proxy/ready-for-shutdown'))).toBe(true);
});

test('a file: a new resource, a change, and what the API server would refuse', async () => {
  const world = await started();
  const { cluster, run } = world;
  await readyCache(cluster);
  world.operator.crash();
  const manifest = (spec: object, name = 'sessions') =>
    JSON.stringify({ apiVersion: 'cache.my.domain/v1', kind: 'ClusteredCache', metadata: { name }, spec });
  const plan = (text: string) => run('plan -f -', { readFile: () => Promise.resolve(text) });
  const fresh = await plan(manifest({ replicas: 3, image: 'cache:1' }, 'other'));
  expect(fresh.out).toMatch(
    /^ClusteredCache shop\/other: the operator would\n {2}1\. write the status: .*\n {2}2\. add finalizer .*, because the finalizer of its pods/,
  );
  expect(fresh.out).toContain('apply StatefulSet shop/other');
  const changed = await plan(manifest({ replicas: 3, image: 'cache:2', port: 6379 }));
  expect(changed.out).toContain('apply StatefulSet shop/sessions');
  expect((await plan(manifest({ replicas: 3, image: 'cache:1', port: 6379 }))).out).toContain('nothing is to be done');
  expect(await plan(manifest({ replicas: -1 }))).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('the API server would refuse it') as string,
  });
  expect(world.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
});

test('a hand-off changes something, by GET as well: the plan ends before it, and it is not sent', async () => {
  const world = await started();
  const { cluster } = world;
  const handoff = { http: { path: '/handoff', port: 6379 } };
  const role = { http: { path: '/role', port: 6379 }, leaderValue: 'master' };
  const upgrade = { order: 'LeaderLast', role, handoff } as const;
  for (const version of ['led', 'led2'])
    cluster.image(`cache:${version}`, {
      startsIn: 1_000,
      http: ({ url }, { pod }) =>
        url.pathname === '/role' ? { status: 200, body: pod === 'sessions-0' ? 'master' : 'replica' } : 200,
    });
  await readyCache(cluster, { replicas: 3, image: 'cache:led', upgrade });
  world.operator.crash();
  await changeCache(cluster, { image: 'cache:led2' });
  let ends: string | undefined;
  for (let step = 1; step <= 60 && ends === undefined; step += 1) {
    ends = (await planned(world, 'plan ccache/sessions')).endsBefore;
    expect(world.requests.filter((request) => request.includes('/handoff'))).toEqual([]);
    world.operator.restart(0);
    await cluster.advance(300);
    world.operator.crash();
  }
  expect(ends).toBe('the hand-off of sessions-0, which is not asked here');
});
