import { monitoredStatefulSets } from '@ordinal/api';
import type { ClusteredCache } from '@ordinal/api';
import type { PodInput } from '@ordinal/client';
import { nodes, pods, secrets } from '@ordinal/client';
import type { Interceptor } from '@ordinal/simulator';
import { expect, onTestFinished, test } from 'vitest';
import type { FaultReport } from '../src/what-if/faults.ts';
import { pluginWorld } from './plugin-world.ts';
import type { PluginWorld } from './plugin-world.ts';
import type { TimelineEntry } from '../src/what-if/timeline.ts';
import { apart, happens, predicted, shown } from './predictions.ts';
import {
  cache,
  cacheNow,
  changeCache,
  changeStore,
  isReady,
  readyCache,
  readySet,
  readyStore,
  set,
  setNow,
  store,
  storeNow,
  until,
} from './resources.ts';

async function started(): Promise<PluginWorld> {
  const world = await pluginWorld();
  onTestFinished(() => world.stop());
  return world;
}

const isAtVersion = (world: PluginWorld, image: string) => () =>
  cacheNow(world.cluster)?.status?.currentVersion === image && cacheNow(world.cluster)?.status?.upgrade === undefined;

test('a healthy upgrade: the steps are those that then happen, when they happen; only reads are sent, and no Secret is read', async () => {
  const world = await started();
  const { cluster, requests } = world;
  const password = { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } };
  const podTemplate = { spec: { containers: [{ name: 'cache', env: [password] }] } };
  await cluster
    .client()(secrets)
    .namespace('shop')
    .create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, stringData: { password: 'planted' } });
  await readyCache(cluster, { podTemplate });
  const prediction = await predicted(world, cache({ image: 'cache:2', podTemplate }));
  expect(prediction).toMatchObject({ exitCode: 0, ending: 'done', waits: [] });
  expect(prediction.assumed).toContain('Secrets and ConfigMaps are not read, and count as there: login');
  expect(requests.length).toBeGreaterThan(8);
  expect(requests.filter((request) => !/^GET /.test(request) || /secrets|configmaps/.test(request))).toEqual([]);
  const truth = await happens(world, () => changeCache(cluster, { image: 'cache:2' }), isAtVersion(world, 'cache:2'));
  expect(truth.length).toBeGreaterThan(20);
  expect(shown(prediction.timeline)).toEqual(shown(truth));
  expect(apart(prediction.timeline, truth)).toEqual([]);
});

test('a closed gate: members are asked by GET, and it stops where it then stops, with the gate and the command', async () => {
  const world = await started();
  const { cluster, requests } = world;
  await readyCache(cluster, { image: 'cache:stubborn', upgrade: { progressDeadline: '20m' } });
  const change = { image: 'cache:2', upgrade: { progressDeadline: '20m' } };
  const open = await predicted(world, cache(change), 'gates: { ready-for-shutdown: open }');
  expect(open).toMatchObject({ ending: 'done' });
  expect(open.assumed).toContain('gate ready-for-shutdown of sessions answers as --members-behave says');
  expect(requests.filter((request) => /proxy/.test(request))).toEqual([]);
  const prediction = await predicted(world, cache(change));
  expect(prediction).toMatchObject({ exitCode: 4, ending: 'failed' });
  expect(prediction.assumed).toContain(
    'gate ready-for-shutdown of sessions is closed, as it says now: sessions-0: HTTP 503; sessions-1: HTTP 503; sessions-2: HTTP 503; it stays so until that member is replaced',
  );
  expect(requests.filter((request) => /proxy/.test(request))).toHaveLength(3);
  expect(requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
  const truth = await happens(
    world,
    () => changeCache(cluster, change),
    () => cacheNow(cluster)?.status?.failure !== undefined,
  );
  expect(shown(prediction.timeline)).toEqual(shown(truth));
  expect(apart(prediction.timeline, truth)).toEqual([]);
  expect(prediction.timeline).toContainEqual(
    expect.objectContaining({
      kind: 'waits',
      what: 'waits for gate ready-for-shutdown: sessions-0: HTTP 503',
      command: 'kubectl ordinal override ccache/sessions -n shop',
    }),
  );
});

test('a gate at a path that is not there, one whose metric is too high, and one that is not asked', async () => {
  const world = await started();
  const { cluster } = world;
  cluster.image('cache:1', {
    startsIn: 2_000,
    http: ({ url }) => (url.pathname === '/metrics' ? { status: 200, body: 'lag 6\n' } : 404),
  });
  await readyCache(cluster);
  const metric = { path: '/metrics', name: 'lag', max: '5' };
  const change = (gate: object) => ({ image: 'cache:2', upgrade: { gates: [{ target: 'Self', ...gate }] } });
  const missing = await predicted(world, cache(change({ name: 'missing', http: { path: '/missing' } }) as object));
  expect(missing).toMatchObject({ exitCode: 4, ending: 'failed' });
  expect(shown(missing.timeline)).toContain('sessions waits for gate missing: sessions-2: HTTP 404');
  const lags = await predicted(world, cache(change({ name: 'lag', metric }) as object));
  expect(shown(lags.timeline)).toContain('sessions waits for gate lag: sessions-2: lag is 6, at most 5 wanted');
  const command = await predicted(world, cache(change({ name: 'drained', exec: { command: ['false'] } }) as object));
  expect(command).toMatchObject({ exitCode: 0, ending: 'done' });
  expect(command.assumed).toContain(
    'gate drained of sessions is open: it is not asked (what "false" says in sessions-0, which is not run here)',
  );
});

test('a gate that is closed now stays so, and who says when it opens is believed', async () => {
  const world = await started();
  const { cluster } = world;
  await readyCache(cluster, { image: 'cache:stubborn' });
  await changeCache(cluster, { image: 'cache:2' });
  const isClosed = () => cacheNow(cluster)?.status?.upgrade?.blockedBy?.startsWith('gate ') === true;
  await until(cluster, 'the gate is closed', isClosed);
  const stays = await predicted(world, 'ccache/sessions');
  expect(stays).toMatchObject({ exitCode: 4, ending: 'failed' });
  expect(stays.longestOutage).toBeUndefined();
  expect(stays.assumed).toContainEqual(
    expect.stringMatching(/^gate ready-for-shutdown of sessions is closed, as it says now: sessions-0: HTTP 503/),
  );
  const opens = await predicted(world, 'ccache/sessions', 'gates: { ready-for-shutdown: 2m }');
  expect(opens).toMatchObject({ exitCode: 0, ending: 'done' });
  expect(opens.timeline.find(({ what }) => what === 'goes down')?.atMs).toBeGreaterThanOrEqual(120_000);
});

test('an image that is not there: it fails at the deadline, as it then does', async () => {
  const world = await started();
  const { cluster } = world;
  await readyCache(cluster);
  const prediction = await predicted(
    world,
    cache({ image: 'cache:missing' }),
    'images: { "cache:missing": { pull: fails } }',
  );
  expect(prediction).toMatchObject({ exitCode: 4, ending: 'failed' });
  const truth = await happens(
    world,
    () => changeCache(cluster, { image: 'cache:missing' }),
    () => cacheNow(cluster)?.status?.failure !== undefined,
  );
  expect(shown(prediction.timeline)).toEqual(shown(truth));
  expect(shown(truth)).toContain('sessions-2 does not start: ImagePullBackOff');
  expect(prediction.waits[0]).toContain('can’t pull its image “cache:missing” (ImagePullBackOff)');
  // Now it is known that it is not there, and need not be said.
  const again = await predicted(world, 'ccache/sessions');
  expect(again.assumed).toContain('image cache:missing does not start, as pods show now');
});

test('a store: an upgrade by partitions, and one whose member never gets ready and is rolled back', async () => {
  const world = await started();
  const { cluster } = world;
  await readyStore(cluster);
  const prediction = await predicted(world, store({ version: '2.0' }));
  expect(prediction).toMatchObject({ exitCode: 0, ending: 'done' });
  const never = await predicted(world, store({ version: '2.0' }), 'images: { "kvstore:2.0": { readyAfter: never } }');
  expect(never).toMatchObject({ exitCode: 4, ending: 'failed' });
  expect(shown(never.timeline)).toContainEqual(expect.stringMatching(/^carts-2 is made, as kvstore:1.0/));
  const isDone = () =>
    storeNow(cluster)?.status?.currentVersion === '2.0' && storeNow(cluster)?.status?.phase === 'Ready';
  const truth = await happens(world, () => changeStore(cluster, { version: '2.0' }), isDone);
  expect(shown(prediction.timeline)).toEqual(shown(truth));
  expect(apart(prediction.timeline, truth)).toEqual([]);
});

test('a set with a monitor: its token is not read, and no monitor is asked', async () => {
  const world = await started();
  const { cluster, requests } = world;
  await readySet(cluster);
  const prediction = await predicted(world, set('cache:2'));
  expect(prediction).toMatchObject({ exitCode: 0, ending: 'done' });
  expect(prediction.assumed).toContain('Secrets and ConfigMaps are not read, and count as there: monitor');
  expect(requests.filter((request) => !/^GET /.test(request) || /secrets/.test(request))).toEqual([]);
  const at = () => cluster.objects.list(pods, 'shop').map(({ spec }) => spec.containers[0]?.image);
  const isDone = () => at().join() === 'cache:2,cache:2,cache:2' && isReady(setNow(cluster));
  const sets = cluster.client()(monitoredStatefulSets).namespace('shop');
  const body = { spec: set('cache:2').spec };
  const truth = await happens(world, () => sets.patch('ledger', { type: 'merge', body }), isDone);
  expect(truth.length).toBeGreaterThan(12);
  expect(shown(prediction.timeline)).toEqual(shown(truth));
});

test('a new resource, one that is as it should be, a change that is refused, and what the file gets wrong', async () => {
  const world = await started();
  const { cluster, run } = world;
  const fresh = await predicted(world, cache());
  expect(fresh).toMatchObject({ ending: 'done' });
  expect(fresh.assumed[0]).toMatch(/^members of sessions .* are ready 10s later \(no pod shows it\)$/);
  expect(shown(fresh.timeline)[0]).toBe('sessions a StatefulSet is made, with 3 members of cache:1');
  await readyCache(cluster);
  expect(await predicted(world, 'ccache/sessions')).toMatchObject({ ending: 'done', timeline: [] });
  await readyStore(cluster);
  const smaller = { ...store(), spec: { ...store().spec, storage: { className: 'other', size: '1Gi' } } };
  const said = (of: object, behaviour: string) =>
    run('what-if -f - --members-behave b', {
      readFile: (path) => Promise.resolve(path === '-' ? JSON.stringify(of) : behaviour),
    });
  expect(await said(smaller, '')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('the API server would refuse KVStoreCluster carts') as string,
  });
  expect(await said(cache(), 'gates: { lag: ajar }')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('gates.lag has to be open or closed, or a duration such as 40s') as string,
  });
});

test('leaders: one hands over before it goes, and without any it stops', async () => {
  const world = await started();
  const { cluster } = world;
  const role = { label: 'role', leaderValue: 'primary' };
  await readyCache(cluster);
  const change = cache({ image: 'cache:2', upgrade: { order: 'LeaderLast', role } });
  const prediction = await predicted(world, change, 'leader: sessions-2');
  expect(prediction).toMatchObject({ ending: 'done' });
  const down = prediction.timeline.filter(({ what }) => what === 'goes down').map(({ about }) => about);
  expect(down).toEqual(['sessions-1', 'sessions-0', 'sessions-2']);
  // No pod has the label: that is what the cluster shows.
  const without = await predicted(world, change);
  expect(without).toMatchObject({ exitCode: 4 });
  expect(without.assumed).toContain('no member of sessions leads, as the label role of the pods shows now');
  expect((await predicted(world, change, 'leader: none')).timeline).toEqual(without.timeline);
  expect(without.timeline.filter(({ what }) => what === 'goes down').map(({ about }) => about)).toEqual(['sessions-2']);
  expect(without.timeline).toContainEqual(
    expect.objectContaining({ kind: 'waits', what: 'waits for role: none of sessions-0, sessions-1 leads' }),
  );
});

test('the leader is the one that says so: by its label, or by what it answers', async () => {
  const world = await started();
  const { cluster } = world;
  cluster.image('cache:1', {
    startsIn: 2_000,
    http: ({ url }, { pod }) =>
      url.pathname === '/role' ? { status: 200, body: pod === 'sessions-1' ? 'leader' : 'follower' } : 200,
  });
  await readyCache(cluster);
  const downIn = ({ timeline }: { readonly timeline: readonly TimelineEntry[] }) =>
    timeline.filter(({ what }) => what === 'goes down').map(({ about }) => about);
  const asking = { order: 'LeaderLast', role: { http: { path: '/role' } } } as const;
  const asked = await predicted(world, cache({ image: 'cache:2', upgrade: asking }));
  expect(asked.assumed).toContain('sessions-1 leads sessions, as the members say now');
  expect(downIn(asked)).toEqual(['sessions-2', 'sessions-0', 'sessions-1']);
  const labels = { role: 'primary' };
  await cluster
    .client()(pods)
    .namespace('shop')
    .patch('sessions-2', { type: 'merge', body: { metadata: { labels } } });
  const reading = { order: 'LeaderLast', role: { label: 'role', leaderValue: 'primary' } } as const;
  const labeled = await predicted(world, cache({ image: 'cache:2', upgrade: reading }));
  expect(labeled.assumed).toContain('sessions-2 leads sessions, as the label role of the pods shows now');
  expect(downIn(labeled)).toEqual(['sessions-1', 'sessions-0', 'sessions-2']);
});

test('a full quota: the member that goes does not come back, and why says so', async () => {
  const world = await started();
  const { cluster } = world;
  await readyCache(cluster, { upgrade: { progressDeadline: '5m' } });
  const quota = (hard: string) => (resourceVersion: string) => ({
    ...{ apiVersion: 'v1', kind: 'ResourceQuota', spec: { hard: { pods: hard } }, status: { used: { pods: '3' } } },
    metadata: {
      name: 'team',
      namespace: 'shop',
      uid: 'quota',
      resourceVersion,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
  });
  const change = cache({ image: 'cache:2', upgrade: { progressDeadline: '5m' } });
  cluster.server.store.put('resourcequotas', 'shop/team', quota('3'));
  expect(await predicted(world, change)).toMatchObject({ ending: 'done' });
  // It was made smaller than what is used already.
  cluster.server.store.put('resourcequotas', 'shop/team', quota('2'));
  const prediction = await predicted(world, change);
  expect(prediction).toMatchObject({ exitCode: 4, ending: 'failed' });
  expect(shown(prediction.timeline).filter((line) => /sessions-\d /.test(line))).toEqual([
    'sessions-2 goes down',
    'sessions-2 has ended',
  ]);
  expect(prediction.waits[0]).toContain('exceeded quota: team, requested: pods=1, used: pods=2, limited: pods=2');
  expect(prediction.waits[0]).toContain('kubectl describe quota team -n shop');
});

test('what a user may not read of the cluster is made up and named; without the workloads there is no prediction', async () => {
  const world = await started();
  const { cluster, operator } = world;
  await readyStore(cluster);
  operator.crash();
  const hidden = new Set(['nodes', 'storageclasses', 'persistentvolumes', 'namespaces', 'resourcequotas']);
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden' } as const;
  const before: Interceptor['before'] = ({ verb, resource, via }) =>
    via === 'transport' && /^(get|list)$/.test(verb) && hidden.has(resource.plural)
      ? { refuse: { ...status, message: `you may not ${verb} ${resource.plural}` } }
      : undefined;
  cluster.server.intercept({ before });
  const prediction = await predicted(world, store({ version: '2.0', replicas: 4 }));
  expect(prediction).toMatchObject({ ending: 'done' });
  expect(shown(prediction.timeline)).toContain('data-carts-3 a volume claim is made');
  expect(prediction.assumed).toContain(
    'nodes: you may not list them; the nodes of the present pods are taken, without labels and taints',
  );
  hidden.add('statefulsets');
  expect(await world.run('what-if kvs/carts')).toMatchObject({
    exitCode: 1,
    err: 'kubectl ordinal: what-if needs to list statefulsets in shop, and you may not\n',
  });
});

test('a canary that waits for a person: it stops there, with the command', async () => {
  const world = await started();
  await readyCache(world.cluster);
  const canary = { replicas: 1, promotion: 'Manual' } as const;
  const prediction = await predicted(world, cache({ image: 'cache:2', upgrade: { canary } }));
  expect(prediction).toMatchObject({ exitCode: 4, ending: 'stopped' });
  expect(shown(prediction.timeline)).toContain('sessions-2 is ready');
  expect(prediction.timeline.at(-1)).toMatchObject({
    kind: 'waits',
    command: 'kubectl ordinal promote ccache/sessions -n shop',
  });
  expect(prediction.waits[0]).toContain('kubectl ordinal promote ccache/sessions -n shop');
});

test('a Job that fails, as the file says, and one that takes its time', async () => {
  const world = await started();
  await readyCache(world.cluster);
  const beforeFirstPod = { image: 'check:1', command: ['check'], retries: 0 };
  const change = cache({ image: 'cache:2', upgrade: { beforeFirstPod } });
  const slow = await predicted(world, change, 'jobs: { "*": { takes: 3m } }');
  expect(slow).toMatchObject({ ending: 'done' });
  expect(slow.timeline.find(({ what }) => what === 'goes down')?.atMs).toBeGreaterThan(180_000);
  const fails = await predicted(world, change, 'jobs: { "*": { ends: fails } }');
  expect(fails).toMatchObject({ exitCode: 4, ending: 'failed', outages: [] });
  expect(fails.timeline).toContainEqual(expect.objectContaining({ kind: 'job', what: 'the Job has failed' }));
});

test('no node takes a pod: the steps are those that then happen', async () => {
  const world = await started();
  const { cluster } = world;
  const change = { image: 'cache:2', upgrade: { progressDeadline: '5m' } };
  await readyCache(cluster);
  for (const { metadata } of cluster.objects.list(nodes))
    await cluster
      .client()(nodes)
      .cluster()
      .patch(metadata.name, { type: 'merge', body: { spec: { unschedulable: true } } });
  const prediction = await predicted(world, cache(change));
  expect(prediction).toMatchObject({ exitCode: 4, ending: 'failed' });
  const hasFailed = () => cacheNow(cluster)?.status?.failure !== undefined;
  const truth = await happens(world, () => changeCache(cluster, change), hasFailed);
  expect(shown(prediction.timeline)).toEqual(shown(truth));
  expect(shown(truth)).toContainEqual(expect.stringMatching(/^sessions-2 does not start: Unschedulable/));
});

test('a member that asks for more than a node has: no node takes it, and what that rests on is said', async () => {
  const world = await started();
  await readyCache(world.cluster);
  const resources = { requests: { cpu: '1000' } };
  const podTemplate = { spec: { containers: [{ name: 'cache', resources }] } };
  const prediction = await predicted(world, cache({ image: 'cache:2', podTemplate }));
  expect(shown(prediction.timeline)).toContainEqual(
    expect.stringMatching(/^sessions-2 does not start: .*Insufficient cpu/),
  );
  expect(prediction.assumed).toContain(
    'limit ranges and admission policies are not played; pods that are not played keep what they ask for of a node now',
  );
});

/** A pod in another namespace on each node, which leaves so much of its processors. */
async function fillNodes({ cluster }: PluginWorld, leaves: number): Promise<void> {
  for (const { metadata, status } of cluster.objects.list(nodes)) {
    const cpu = String(Number(status?.allocatable?.['cpu']) - leaves);
    const container = { name: 'batch', image: 'cache:1', resources: { requests: { cpu } } };
    const pod: PodInput = {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: `batch-${metadata.name}` } },
      spec: { nodeName: metadata.name, containers: [container] },
    };
    await cluster.client()(pods).namespace('default').create(pod);
  }
  await cluster.advance(5_000);
}

const asksFor = (cpu: string) => ({ spec: { containers: [{ name: 'cache', resources: { requests: { cpu } } }] } });

test('what pods of other namespaces ask for is not there for a member: the steps are those that then happen', async () => {
  const world = await started();
  const { cluster, requests } = world;
  await readyCache(cluster);
  await fillNodes(world, 1);
  const change = { image: 'cache:2', podTemplate: asksFor('1500m'), upgrade: { progressDeadline: '5m' } };
  const prediction = await predicted(world, cache(change));
  expect(prediction).toMatchObject({ exitCode: 4, ending: 'failed' });
  expect(requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
  const hasFailed = () => cacheNow(cluster)?.status?.failure !== undefined;
  const truth = await happens(world, () => changeCache(cluster, change), hasFailed);
  expect(shown(prediction.timeline)).toEqual(shown(truth));
  expect(shown(truth)).toContainEqual(expect.stringMatching(/^sessions-2 does not start: .*Insufficient cpu/));
});

test('where the pods of other namespaces may not be listed, they count as taking nothing, and it is said', async () => {
  const world = await started();
  const { cluster } = world;
  await readyCache(cluster);
  await fillNodes(world, 1);
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden' } as const;
  const before: Interceptor['before'] = ({ verb, resource, namespace, via }) =>
    via === 'transport' && verb === 'list' && resource.plural === 'pods' && namespace === undefined
      ? { refuse: { ...status, message: 'you may not list pods' } }
      : undefined;
  world.operator.crash();
  cluster.server.intercept({ before });
  const prediction = await predicted(world, cache({ image: 'cache:2', podTemplate: asksFor('1500m') }));
  expect(prediction).toMatchObject({ ending: 'done' });
  expect(prediction.assumed).toContain(
    'pods of other namespaces: you may not list them; of what a node has, they count as taking nothing',
  );
});

test('what others own, and what belongs to none of ours, is no reason for anything to go', async () => {
  const world = await started();
  const { cluster } = world;
  await readyCache(cluster);
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'shop', uid: 'elsewhere' }];
  cluster.server.store.put('clusteredcaches.cache.my.domain', 'shop/sessions', (resourceVersion) => {
    const { metadata, ...rest } = cacheNow(cluster) as ClusteredCache;
    return { ...rest, metadata: { ...metadata, ownerReferences, resourceVersion } };
  });
  const alone = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'shell' },
    spec: { containers: [{ name: 'a', image: 'b' }] },
  };
  await cluster
    .client()(pods)
    .namespace('shop')
    .create(alone as PodInput);
  const prediction = await predicted(world, cache({ image: 'cache:2' }));
  expect(prediction).toMatchObject({ ending: 'done' });
  expect(prediction.assumed).toContain('a pod of other controllers is left out');
  expect(shown(prediction.timeline)).not.toContain('sessions is gone');
});

test('the text: the timeline, how it ends, why, and what it rests on', async () => {
  const world = await started();
  await readyCache(world.cluster);
  const readFile = (path: string) =>
    Promise.resolve(
      path === '-' ? JSON.stringify(cache({ image: 'cache:2' })) : 'gates: { ready-for-shutdown: closed }',
    );
  const { out } = await world.run('what-if -f - --members-behave b', { readFile });
  expect(out).toMatch(/^ClusteredCache shop\/sessions: what would happen\n {5}0s {2}sessions {2}step Starting\n/);
  expect(out).toContain('what helps: kubectl ordinal override ccache/sessions -n shop');
  expect(out).toContain('It would fail after 15m. No member would go down.\nClusteredCache shop/sessions has failed');
  expect(out).toContain('- gate ready-for-shutdown of sessions answers as --members-behave says');
});

test('faults: how many histories keep the invariants, and what the worst looks like; it can be played again', async () => {
  const world = await started();
  await readyCache(world.cluster);
  const readFile = () => Promise.resolve(JSON.stringify(cache({ image: 'cache:2' })));
  const asked = async (more: string): Promise<FaultReport> => {
    const { out, err, exitCode } = await world.run(`what-if -f - -o json ${more}`, { readFile });
    expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
    return (JSON.parse(out) as { readonly faults: FaultReport }).faults;
  };
  const all = await asked('--faults 18 --seed 3');
  expect(all).toMatchObject({ seed: 3, played: 18, keep: 18, done: 18, failed: 0 });
  expect(all.possible).toBeGreaterThan(500);
  // A node is lost for seven minutes while its member goes down.
  expect(all.worst).toMatchObject({ ending: 'done', what: expect.stringMatching(/a node is lost/) as string });
  expect(all.worst.downMs).toBeGreaterThan(300_000);
  expect(all.worst.timeline.filter(({ kind }) => kind === 'fault').map(({ what }) => what)).toEqual([all.worst.what]);
  const again = await asked(`--faults 18 --seed 3 --history ${all.worst.history}`);
  expect(again).toMatchObject({ played: 1, worst: all.worst });
  const { out } = await world.run(`what-if -f - --faults 18 --seed 3 --history ${all.worst.history}`, { readFile });
  expect(out).toContain(`To play it again: --faults ${all.worst.history} --seed 3 --history ${all.worst.history}`);
  expect(await world.run('what-if ccache/sessions --history 2')).toMatchObject({ exitCode: 2 });
  expect(world.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
});

test('what does not come to its end is not played with faults', async () => {
  const world = await started();
  await readyCache(world.cluster);
  const readFile = (path: string) =>
    Promise.resolve(
      path === '-' ? JSON.stringify(cache({ image: 'cache:2' })) : 'members: { "*": { readyAfter: never } }',
    );
  const { out } = await world.run('what-if -f - -o json --faults 3 --members-behave b', { readFile });
  expect(JSON.parse(out)).not.toHaveProperty('faults');
});
