import type { CloudDatabaseInput } from '@ordinal/api';
import { cloudDatabases, monitoredStatefulSets } from '@ordinal/api';
import { persistentVolumeClaims, services, storageClasses, validatingWebhookConfigurations } from '@ordinal/client';
import type { ExternalErrorCode } from '@ordinal/lifecycle';
import { ExternalError } from '@ordinal/lifecycle';
import type { KindEnvironment } from '@ordinal/reconcilers';
import type { Interceptor } from '@ordinal/simulator';
import { expect, onTestFinished, test } from 'vitest';
import { AssumedDatabases } from '../src/what-if/databases.ts';
import { pluginWorld } from './plugin-world.ts';
import type { PluginWorld, PluginWorldOptions } from './plugin-world.ts';
import { byObject, happens, predicted, predictedDeletion, shown } from './predictions.ts';
import {
  cache,
  cacheNow,
  caches,
  changeCache,
  changeStore,
  isReady,
  readyCache,
  plantToken,
  readyStore,
  set,
  store,
  storeNow,
  stores,
  until,
} from './resources.ts';

async function started(options: PluginWorldOptions = {}): Promise<PluginWorld> {
  const world = await pluginWorld(options);
  onTestFinished(() => world.stop());
  return world;
}

/** A webhook without whose answer these can't be created, of a Service without endpoints. */
async function plantWebhook(
  { cluster }: PluginWorld,
  kinds: { readonly apiGroups: string[]; readonly resources: string[] },
  clientConfig: object = { service: { namespace: 'default', name: 'policy' } },
): Promise<void> {
  const client = cluster.client();
  await client(services)
    .namespace('default')
    .create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'policy' },
      spec: { selector: { app: 'policy' }, ports: [{ port: 443 }] },
    });
  await client(validatingWebhookConfigurations)
    .cluster()
    .create({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'policy' },
      webhooks: [
        {
          name: 'policy.example.com',
          clientConfig,
          failurePolicy: 'Fail',
          rules: [{ ...kinds, apiVersions: ['v1'], operations: ['CREATE'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
}

/** Monitors all of whose calls fail so. */
const down = (code: ExternalErrorCode, message: string): KindEnvironment['monitors'] => {
  const fails = () => Promise.reject(new ExternalError(code, message));
  const traits = { repeatedCreate: 'returnsFirst', settleMs: 0, callTimeoutMs: 5_000 } as const;
  return { at: () => ({ traits, get: fails, findByOwner: fails, create: fails, update: fails, delete: fails }) };
};

const withJob = {
  image: 'cache:2',
  upgrade: { progressDeadline: '5m', beforeFirstPod: { image: 'check:1', command: ['check'] } },
};

const hasFailed = (world: PluginWorld) => () => cacheNow(world.cluster)?.status?.failure !== undefined;

test('a Job that is refused, since a webhook does not answer', async () => {
  const world = await started();
  await readyCache(world.cluster);
  await plantWebhook(world, { apiGroups: ['batch'], resources: ['jobs'] });
  const prediction = await predicted(world, cache(withJob));
  expect(prediction).toMatchObject({ exitCode: 4, outages: [] });
  expect(prediction.waits[0]).toMatch(/create Job .*failed calling webhook "policy.example.com".*connection refused/);
  expect(prediction.assumed).toContain(
    'webhook policy.example.com does not answer: Service default/policy has no endpoint that is ready',
  );

  const truth = await happens(world, () => changeCache(world.cluster, withJob), hasFailed(world));
  expect(shown(prediction.timeline)).toEqual(shown(truth));
  // A user who knows better says so.
  const answers = await predicted(world, cache(withJob), 'webhooks: { policy.example.com: answers }');
  expect(answers.assumed).toContain('webhooks are not asked, and count as allowing all: policy.example.com');
});

test('a Job that a quota has no room for', async () => {
  const world = await started();
  const { cluster } = world;
  await readyCache(cluster);
  const hard = { 'count/jobs.batch': '0' };
  cluster.server.store.put('resourcequotas', 'shop/team', (resourceVersion) => ({
    ...{ apiVersion: 'v1', kind: 'ResourceQuota', spec: { hard }, status: { hard, used: hard } },
    metadata: {
      name: 'team',
      namespace: 'shop',
      uid: 'quota',
      resourceVersion,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
  }));
  const prediction = await predicted(world, cache(withJob));
  // The simulated server knows no quotas: these are a real one's words.
  const before: Interceptor['before'] = (request) => {
    if (request.verb !== 'create' || request.resource.plural !== 'jobs') return undefined;
    const { name } = (request.body as { readonly metadata: { readonly name: string } }).metadata;
    const message = `jobs.batch "${name}" is forbidden: exceeded quota: team, requested: count/jobs.batch=1, used: count/jobs.batch=0, limited: count/jobs.batch=0`;
    return { refuse: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden', message } };
  };
  cluster.server.intercept({ before });
  const truth = await happens(world, () => changeCache(cluster, withJob), hasFailed(world));
  expect(shown(prediction.timeline)).toEqual(shown(truth));
  expect(prediction).toMatchObject({ exitCode: 4, outages: [] });
  expect(prediction.waits[0]).toContain('kubectl describe quota team -n shop');
});

test('a webhook that does not answer for pods: the member that goes does not come back', async () => {
  const world = await started();
  const change = { image: 'cache:2', upgrade: { progressDeadline: '5m' } };
  await readyCache(world.cluster);
  await plantWebhook(world, { apiGroups: [''], resources: ['pods'] });
  const prediction = await predicted(world, cache(change));
  expect(prediction).toMatchObject({ exitCode: 4, ending: 'failed', outages: [{ member: 'sessions-2' }] });
  expect(prediction.waits[0]).toMatch(/refused, since a webhook does not answer: “.*policy.example.com/);
  const truth = await happens(world, () => changeCache(world.cluster, change), hasFailed(world));
  expect(shown(prediction.timeline)).toEqual(shown(truth));
});

test('a webhook of a URL counts as answering until an event says that it does not', async () => {
  const world = await started();
  const { cluster } = world;
  await readyCache(cluster);
  await plantWebhook(world, { apiGroups: [''], resources: ['pods'] }, { url: 'https://gone.example.com/' });
  const before = await predicted(world, cache({ image: 'cache:2' }));
  expect(before).toMatchObject({ exitCode: 0, ending: 'done' });
  await changeCache(cluster, { image: 'cache:2' });
  await cluster.advance(300_000);
  const after = await predicted(world, cache({ image: 'cache:2' }));
  expect(after).toMatchObject({ exitCode: 4 });
  expect(after.assumed).toContainEqual(
    expect.stringMatching(/^webhook policy.example.com does not answer: an event of 2/),
  );
  expect(after.waits[0]).toContain('lookup gone.example.com: no such host');
});

test('a volume that can’t grow: the steps, and the claim by name', async () => {
  const world = await started();
  const { cluster } = world;
  await readyStore(cluster);
  const classes = cluster.client()(storageClasses).cluster();
  await classes.patch('standard', { type: 'merge', body: { allowVolumeExpansion: false } });
  const prediction = await predicted(world, store({ storage: { className: 'standard', size: '2Gi' } }));
  expect(prediction.exitCode).toBe(4);
  expect(prediction.waits[0]).toContain('data-carts-0');
  const isStuck = () => (storeNow(cluster)?.status?.observedGeneration ?? 0) > 1;
  const truth = await happens(world, () => changeStore(cluster, { storage: { size: '2Gi' } }), isStuck);
  expect(shown(prediction.timeline)).toEqual(shown(truth));
});

const foreign = { metadata: { finalizers: ['backup.example.com/snapshot'] } };

test('the finalizer of another client on a resource: its deletion does everything else, and stays', async () => {
  const world = await started();
  const { cluster } = world;
  await readyCache(cluster);
  const { metadata } = cacheNow(cluster) ?? {};
  const finalizers = [...(metadata?.finalizers ?? []), ...foreign.metadata.finalizers];
  const whole = await predictedDeletion(world, 'ccache/sessions');
  expect(whole).toMatchObject({ exitCode: 0, ending: 'done', waits: [] });
  await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { finalizers } } });
  const prediction = await predictedDeletion(world, 'ccache/sessions');
  expect(prediction).toMatchObject({ exitCode: 4, ending: 'stopped' });
  expect(prediction.waits[0]).toContain(
    'the operator is done with it, and it is kept by the finalizer backup.example.com/snapshot',
  );
  const isLeft = () => cacheNow(cluster)?.metadata.finalizers?.length === 1;
  const truth = await happens(world, () => caches(cluster).delete('sessions'), isLeft);
  expect(byObject(prediction.timeline)).toEqual(byObject(truth));
  expect(shown(truth).at(-1)).toBe('sessions is kept by the finalizer backup.example.com/snapshot of another client');
});

test('the finalizer of another client on a claim: the claim stays', async () => {
  const world = await started();
  const { cluster } = world;
  await readyStore(cluster, { deletionPolicy: 'Delete' });
  await cluster
    .client()(persistentVolumeClaims)
    .namespace('shop')
    .patch('data-carts-1', {
      type: 'merge',
      body: { metadata: { finalizers: ['kubernetes.io/pvc-protection', ...foreign.metadata.finalizers] } },
    });
  const prediction = await predictedDeletion(world, 'kvs/carts');
  expect(prediction).toMatchObject({ exitCode: 4, ending: 'stopped' });
  expect(prediction.waits.join(' ')).toContain(
    'PersistentVolumeClaim data-carts-1 is being deleted and is kept by the finalizer backup.example.com/snapshot',
  );
  const isLeft = () => cluster.objects.list(persistentVolumeClaims, 'shop').length === 1;
  const truth = await happens(world, () => stores(cluster).delete('carts'), isLeft);
  expect(byObject(prediction.timeline)).toEqual(byObject(truth));
});

const database = (name: string, size: 'small' | 'large' = 'small'): CloudDatabaseInput => ({
  apiVersion: 'db.example.com/v1',
  kind: 'CloudDatabase',
  metadata: { name },
  spec: { engine: 'postgres', size },
});

test('a provider that is down, as another of its databases says; without one it is known from the user alone', async () => {
  const world = await started();
  const { cluster } = world;
  const databases = cluster.client()(cloudDatabases).namespace('shop');
  const unknown = await predicted(world, database('orders'));
  expect(unknown).toMatchObject({ exitCode: 0, ending: 'done' });
  expect(unknown.assumed).toContain(
    'the provider default is not asked: it has what statuses say, and does at once what it is asked',
  );
  const said = await predicted(world, database('orders'), 'providers: { default: down }');
  expect(said).toMatchObject({ exitCode: 4, ending: 'stopped' });
  await databases.create(database('first'));
  await cluster.advance(60_000);
  const prediction = await predicted(world, database('orders'));
  expect(prediction).toMatchObject({ exitCode: 4, ending: 'stopped' });
  expect(prediction.assumed).toContain(
    'the provider default does not answer (Unreachable): CloudDatabase first says so',
  );
  expect(prediction.waits[0]).toContain(
    'says Synced=False (CallFailed): Unreachable: there is no service in this test',
  );
  const isDown = () => cluster.objects.find(cloudDatabases, 'shop', 'orders')?.status?.conditions !== undefined;
  const truth = await happens(world, () => databases.create(database('orders')), isDown);
  expect(shown(prediction.timeline)).toEqual(shown(truth.filter(({ about }) => about === 'orders')));
  expect(shown(truth)).toContainEqual(expect.stringMatching(/^orders is not in sync \(CallFailed\)/));
});

test('a database that is there: nothing happens without a change, and a change of its size is made', async () => {
  const providers = new AssumedDatabases([], [{ secret: '', account: 'nowhere' }]).accounts;
  const world = await started({ providers });
  const { cluster } = world;
  const databases = cluster.client()(cloudDatabases).namespace('shop');
  await databases.create(database('orders'));
  const now = () => cluster.objects.find(cloudDatabases, 'shop', 'orders');
  await until(cluster, 'it is ready', () => isReady(now()));
  expect(await predicted(world, 'cdb/orders')).toMatchObject({ exitCode: 0, ending: 'done', timeline: [] });
  const prediction = await predicted(world, database('orders', 'large'));
  expect(prediction).toMatchObject({ exitCode: 0, ending: 'done' });
  const change = () => databases.patch('orders', { type: 'merge', body: { spec: { size: 'large' } } });
  const truth = await happens(world, change, () => now()?.status?.size === 'large');
  expect(shown(prediction.timeline)).toEqual(shown(truth));
  const gone = await predictedDeletion(world, 'cdb/orders');
  expect(shown(gone.timeline).at(-1)).toBe('orders is gone');
});

test('a monitor that is down, as the status of the set says: it is not registered, and stays so', async () => {
  const world = await started({ monitors: down('Unreachable', 'no route to host') });
  const { cluster } = world;
  const sets = cluster.client()(monitoredStatefulSets).namespace('shop');
  await plantToken(cluster);
  await sets.create(set());
  await cluster.advance(120_000);
  const prediction = await predicted(world, 'mss/ledger');
  expect(prediction).toMatchObject({ exitCode: 4, ending: 'stopped' });
  expect(prediction.waits[0]).toContain('Unreachable: no route to host');
  expect(prediction.assumed).toContain(
    'the monitor https://monitor.example does not answer (Unreachable): MonitoredStatefulSet ledger says so',
  );
  const said = await predicted(world, 'mss/ledger', 'monitors: { "https://monitor.example": answers }');
  expect(said).toMatchObject({ exitCode: 0, ending: 'done' });
  expect(said.assumed).toContain(
    'the monitor https://monitor.example is not asked: it has what statuses say, and does at once what it is asked',
  );
});

test('what a provider refuses it refuses again; another size it may take', async () => {
  const refusal = new ExternalError('Refused', 'small is sold out', { applied: 'no' });
  const assumed = new AssumedDatabases([], [{ secret: '', account: 'nowhere' }]).accounts;
  const providers: KindEnvironment['providers'] = {
    resolve: (description, use) => {
      const account = assumed.resolve(description, use);
      return { ...account, system: { ...account.system, create: () => Promise.reject(refusal) } };
    },
  };
  const world = await started({ providers });
  const { cluster } = world;
  await cluster.client()(cloudDatabases).namespace('shop').create(database('orders'));
  await cluster.advance(60_000);
  const again = await predicted(world, 'cdb/orders');
  expect(again).toMatchObject({ exitCode: 4, ending: 'failed' });
  expect(again.waits[0]).toMatch(/small is sold out.* [0-9]+m[0-9]+s ago\)/);
  expect(again.assumed).toContain('what CloudDatabase orders asks for is refused again (Refused): its status says so');
  expect(await predicted(world, database('orders', 'large'))).toMatchObject({ exitCode: 0, ending: 'done' });
});
