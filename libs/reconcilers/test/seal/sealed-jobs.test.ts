import { createSecretKey } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { kvStoreClusters } from '@ordinal/api';
import { jobs } from '@ordinal/client';
import type { Job, JobInput } from '@ordinal/client';
import type { Create } from '@ordinal/lifecycle';
import { SealedJobs } from '@ordinal/lifecycle';
import { SimulatedCluster } from '@ordinal/simulator';
import { jobMarks } from '../../src/annotations.ts';

const keyOf = (text: string) => createSecretKey(Buffer.alloc(32, text));
const uid = 'b6a0a1f0-0000-4000-8000-000000000001';
const owner = { metadata: { name: 'orders', namespace: 'default', uid, resourceVersion: '1', creationTimestamp: '' } };
const another = { metadata: { ...owner.metadata, uid: 'b6a0a1f0-0000-4000-8000-000000000002' } };
const ownIn = (of: typeof owner, key = keyOf('one')) =>
  new SealedJobs(kvStoreClusters, { keys: () => [key] }, jobMarks).of(of);
const own = ownIn(owner);

const container = { name: 'task', image: 'backup:1' };
const running = (pod: object = {}) => ({
  template: { spec: { restartPolicy: 'Never', containers: [container], ...pod } },
});
const wanted: JobInput = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'orders-backup',
    namespace: 'default',
    labels: { 'ordinal.dev/purpose': 'Backup', other: 'label' },
    annotations: { 'ordinal.dev/subject': 'nightly' },
  },
  spec: running(),
};
const action: Create = { kind: 'create', descriptor: jobs, object: wanted, because: 'it is due' };

let cluster: SimulatedCluster;
const there = () => cluster.client()(jobs).namespace('default');
const context = () => ({ client: cluster.client(), signal: new AbortController().signal });
const make = async (): Promise<Job> => (await own.create(action, context())) as Job;
const now = async (): Promise<Job> => there().get('orders-backup');
const seal = ({ metadata }: Job): string => metadata.annotations?.[jobMarks.sealAnnotation] ?? '';

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ crds: [], seed: 1, nodes: 0 });
});
afterEach(() => cluster.stop());

/** Registers a webhook that adds this to what Jobs run. */
async function mutate(added: () => object): Promise<void> {
  cluster.external('https://policy.example', ({ body }) => {
    const { request } = JSON.parse(body) as { request: { uid: string } };
    const patch = [{ op: 'add', path: '/spec/template/spec/imagePullSecrets', value: [added()] }];
    const response = { uid: request.uid, allowed: true, patchType: 'JSONPatch' };
    const answer = { ...response, patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
    return {
      status: 200,
      body: JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }),
    };
  });
  const rule = { apiGroups: ['batch'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['jobs'] };
  const webhook = {
    ...{ name: 'jobs.policy.example', clientConfig: { url: 'https://policy.example' }, rules: [rule] },
    ...{ failurePolicy: 'Fail', sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 5 },
  };
  await cluster.client().request('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
    body: {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' },
      ...{ metadata: { name: 'jobs.policy.example' }, webhooks: [webhook] },
    },
  });
}

/** Makes a Job as another client: like the operator's, but for this. */
const forge = (changed: object, metadata: object = {}): Promise<Job> =>
  there().create({ ...wanted, ...changed, metadata: { ...wanted.metadata, ...metadata } } as JobInput); // What differs is of the test.

describe('a Job', () => {
  test('that the operator has made is its own', async () => {
    expect(own.isOwn(await make())).toBe(true);
    expect(own.isOwn(await now())).toBe(true);
  });

  test('that another client has made is not', async () => {
    expect(own.isOwn(await forge({}))).toBe(false);
  });

  test('is that of its object alone, and of the keys that made its seal', async () => {
    const made = await make();
    expect(ownIn(another).isOwn(made)).toBe(false);
    expect(ownIn(owner, keyOf('two')).isOwn(made)).toBe(false);
  });

  test.each([
    ['another name', {}, { name: 'orders-other' }],
    ['another purpose', {}, { labels: { 'ordinal.dev/purpose': 'FinalBackup' } }],
    ['another subject', {}, { annotations: { 'ordinal.dev/subject': 'weekly' } }],
    ['another program', { spec: running({ hostPID: true }) }, {}],
  ])('that bears the seal of the operator’s is not its own with %s', async (_what, changed, metadata) => {
    const made = await make();
    await there().delete('orders-backup');
    const annotations = { ...wanted.metadata.annotations, ...(metadata as JobInput['metadata']).annotations };
    const sealed = { ...annotations, [jobMarks.sealAnnotation]: seal(made) };
    expect(own.isOwn(await forge(changed, { ...metadata, annotations: sealed }))).toBe(false);
  });

  test('that bears the seal of the operator’s, and is the same in all that counts, runs the same: it counts', async () => {
    const made = await make();
    await there().delete('orders-backup');
    const annotations = { ...wanted.metadata.annotations, [jobMarks.sealAnnotation]: seal(made) };
    expect(own.isOwn(await forge({}, { annotations, labels: { 'ordinal.dev/purpose': 'Backup' } }))).toBe(true);
  });

  test.each([
    ['its purpose', { labels: { 'ordinal.dev/purpose': 'FinalBackup' } }],
    ['its subject', { annotations: { 'ordinal.dev/subject': 'weekly' } }],
    ['its seal', { annotations: { [jobMarks.sealAnnotation]: 'x' } }],
  ])('is not the operator’s own any more when another client changes %s', async (_what, metadata) => {
    await make();
    await there().patch('orders-backup', { type: 'merge', body: { metadata } });
    expect(own.isOwn(await now())).toBe(false);
  });

  test('is still the operator’s own when another client suspends it, or labels it', async () => {
    await make();
    const body = { metadata: { labels: { team: 'shop' } }, spec: { suspend: true, parallelism: 0 } };
    await there().patch('orders-backup', { type: 'merge', body });
    expect(own.isOwn(await now())).toBe(true);
  });

  test('whose status another client has written is still the operator’s own: no seal covers a status', async () => {
    await make();
    await there().status.patch('orders-backup', { type: 'merge', body: { status: { ready: 1 } } });
    expect(own.isOwn(await now())).toBe(true);
  });
});

describe('the Job of another client', () => {
  test('that has the name of one of the operator’s is reported, with the command that helps, and stays', async () => {
    const forged = await forge({ spec: running({ hostPID: true }) });
    await expect(make()).rejects.toMatchObject({
      code: 'Refused',
      message: expect.stringContaining('kubectl delete job -n default orders-backup') as string,
    });
    expect((await now()).metadata).toMatchObject({
      uid: forged.metadata.uid,
      resourceVersion: forged.metadata.resourceVersion,
    });
  });

  test('is not taken over because it runs the same: it may have run too early', async () => {
    await forge({});
    await expect(make()).rejects.toMatchObject({ code: 'Refused' });
    expect(seal(await now())).toBe('');
  });
});

test('the operator’s own Job that is there already is no failure of its own: what is seen is old', async () => {
  await make();
  await expect(make()).rejects.toMatchObject({ code: 'AlreadyExists' });
});

describe('where an admission webhook changes what a Job runs', () => {
  test('it is sealed as it is', async () => {
    await mutate(() => ({ name: 'mirror' }));
    expect(own.isOwn(await make())).toBe(true);
    expect(own.isOwn(await now())).toBe(true);
  });

  test('it is sealed also where the operator ended before it could', async () => {
    await mutate(() => ({ name: 'mirror' }));
    // What the operator sends first, and no more.
    const { annotations } = (await ownAnnotations()) ?? {};
    await forge({}, { annotations });
    expect(own.isOwn(await now())).toBe(false);
    expect(own.isOwn(await make())).toBe(true);
    expect(own.isOwn(await now())).toBe(true);
    expect((await there().list()).items).toHaveLength(1);
  });

  test('the seal that the operator sends first makes no other program its own', async () => {
    await mutate(() => ({ name: 'mirror' }));
    const { annotations } = (await ownAnnotations()) ?? {};
    await forge({ spec: running({ containers: [{ ...container, image: 'forged:1' }] }) }, { annotations });
    await expect(make()).rejects.toMatchObject({ code: 'Refused' });
    expect(own.isOwn(await now())).toBe(false);
  });
});

/** The metadata of the Job as the operator sends it, before any webhook. */
async function ownAnnotations(): Promise<Job['metadata']> {
  const bare = await SimulatedCluster.start({ crds: [], seed: 1, nodes: 0 });
  const made = (await own.create(action, { client: bare.client(), signal: new AbortController().signal })) as Job;
  bare.stop();
  return made.metadata;
}

describe('the Jobs of an earlier version', () => {
  test('which sealed none are sealed as they are, once', async () => {
    const unsealed = await forge({});
    expect(await own.adopt([unsealed], context())).toBe(true);
    expect(own.isOwn(await now())).toBe(true);
    expect(await own.adopt([await now()], context())).toBe(false);
  });

  test('that have changed meanwhile are not sealed as they were', async () => {
    const unsealed = await forge({});
    await there().patch('orders-backup', { type: 'merge', body: { spec: { suspend: true } } });
    await expect(own.adopt([unsealed], context())).rejects.toMatchObject({ code: 'Conflict' });
  });
});
