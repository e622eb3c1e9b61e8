import { createSecretKey } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError, jobs } from '@ordinal/client';
import type { Client, ConfigMap, Job, Pod } from '@ordinal/client';
import type { CacheReader } from '@ordinal/runtime';
import { OutsideCalls, noMetrics } from '@ordinal/runtime';
import { everyMember, plan } from '@ordinal/lifecycle';
import type { ExternalRecord, ExternalSystem, Probes } from '@ordinal/lifecycle';
import { describe, expect, test } from 'vitest';
import { now as then, all, seen } from '../rollout/seen.ts';
import { judge } from './canary.ts';
import * as cleanUp from './clean-up.ts';
import * as decision from './decision.ts';
import { gateOf } from './disruption.ts';
import * as errorManagement from './error-management.ts';
import { step } from './external-resource.ts';
import type { Database, DatabaseView } from './external-resource.ts';
import { refusals } from './health-check.ts';
import { nextPartition } from './partition.ts';
import { nextActions } from './rollout.ts';
import * as schedule from './schedule.ts';
import { jobsOf, statusesOf } from './seal.ts';
import * as task from './task.ts';
import * as validation from './validation.ts';
import { website, websites } from './website.ts';
import type { Website } from './website.ts';

const now = Date.UTC(2026, 0, 2, 12);
const silent = (): void => undefined;
const clock = { now: () => now, after: () => ({ cancel: silent }) };
const signal = new AbortController().signal;
const outside = <T>(call: () => Promise<T>): Promise<T> => call();

describe('the examples of the README', () => {
  test('there is a section with one for each folder', () => {
    const root = join(import.meta.dirname, '../..');
    const page = readFileSync(join(root, 'README.md'), 'utf8');
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const sectionOf = (name: string): string =>
      new RegExp(`^## ${name}$[^]*?(?=^## |$(?![^]))`, 'm').exec(page)?.[0] ?? '';
    expect(folders.length).toBeGreaterThan(8);
    expect(folders.map(({ name }) => name).filter((name) => !sectionOf(name).includes('<!-- from '))).toEqual([]);
  });

  test('decision: what differs is applied, and what is as wanted is left alone', () => {
    const first = decision.decide(website(), undefined);
    expect(plan(first)).toEqual(['apply ConfigMap web/hello, because it does not exist']);
    const [action] = first.actions;
    const made = action?.kind === 'apply' ? (action.object as ConfigMap) : undefined;
    expect(decision.decide(website(), made).actions).toEqual([]);
  });

  test('clean-up: the finalizer comes first and goes last', () => {
    const finalizers = ['example.com/files'];
    const leaving = website({ finalizers, deletionTimestamp: '2026-01-02T00:00:00Z' });
    const kinds = (site: Website, files: readonly string[]) =>
      cleanUp.decide(site, files, now).actions.map(({ kind }) => kind);
    expect(kinds(website(), [])).toEqual(['addFinalizer']);
    expect(kinds(website({ finalizers }), ['a'])).toEqual([]);
    expect(kinds(leaving, ['a'])).toEqual(['call']);
    expect(kinds(leaving, [])).toEqual(['removeFinalizer']);
  });

  test('error management: a refusal shows in the status and in an event', async () => {
    const writes: unknown[] = [];
    const events: unknown[] = [];
    const refused = new ApiError(
      { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden' },
      '',
    );
    const resource = {
      apply: () => Promise.reject(refused),
      status: {
        patch: (_name: string, { body }: { body: unknown }) => {
          writes.push(body);
          return Promise.resolve(website());
        },
      },
    };
    const log = { debug: silent, info: silent, warn: silent, error: silent, child: () => log };
    const context = {
      client: (() => ({ in: () => resource })) as never, // The verbs that are used, and no others.
      clock,
      log,
      signal,
      events: { publish: (event: unknown) => void events.push(event) },
    };
    await errorManagement.act(website(), decision.decide(website(), undefined), context);
    expect(writes).toMatchObject([{ status: { processingError: { reason: 'Refused' } } }]);
    expect(events).toMatchObject([{ type: 'Warning', reason: 'ProcessingError' }]);
  });

  test('task: a Job is made once for each version', () => {
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { namespace: 'web', name: 'publish-1.2' } } as const;
    const none = { job: undefined, output: undefined, now };
    const first = task.decide(website(), { job: job as never }, none); // Without what its container does.
    expect(plan(first)).toContain('create Job web/publish-1.2, because publish is due');
    expect(first.status?.status).toMatchObject({ published: { purpose: 'publish', subject: '1.2' } });
    const published = { purpose: 'publish', subject: '1.2', job: 'publish-1.2', result: 'Succeeded' } as const;
    expect(task.decide(website({}, { published }), { job: job as never }, none).actions).toEqual([]);
  });

  test('health check: who lags behind says no', async () => {
    const body = (lag: number): string => `replication_lag_seconds ${String(lag)}\n`;
    const probes = {
      http: ({ name }: { readonly name: string }) =>
        Promise.resolve({ status: 200, body: body(name === 'a-0' ? 1 : 9) }),
      exec: () => Promise.reject(new Error('not asked')),
    };
    const peers = ['a-0', 'a-1'].map((name) => ({ namespace: 'web', name, ip: '10.0.0.1' }));
    expect(await refusals(peers, { probes, outside, signal })).toEqual([
      { ok: false, message: 'replication_lag_seconds is 9, at most 5 wanted' },
    ]);
  });

  test('external resource: it is announced, made, known, and deleted with its Website', async () => {
    const made = new Map<string, DatabaseView>();
    const provider: ExternalSystem<Database, DatabaseView> = {
      traits: { repeatedCreate: 'returnsFirst', settleMs: 0, callTimeoutMs: 1000 },
      get: (id) => Promise.resolve(made.get(id)),
      findByOwner: (owner) => Promise.resolve([...made.values()].filter((view) => view.owner === owner)),
      create: ({ owner, token, desired }) => {
        const view: DatabaseView = { id: token, owner, token, state: 'ready', ...desired };
        made.set(view.id, view);
        return Promise.resolve(view);
      },
      update: () => Promise.resolve(),
      delete: ({ id }) => Promise.resolve(void made.delete(id)),
    };
    const records: (ExternalRecord | undefined)[] = [];
    const write = (record: ExternalRecord | undefined): Promise<void> => Promise.resolve(void records.push(record));
    const context = { clock, random: () => 0.5, signal, outside, write };
    expect((await step(website(), provider, context)).reason).toBe('Creating');
    expect(records.map((record) => record?.id)).toEqual([undefined, 'u1-1']);
    const database = records.at(-1);
    const status = database ? { database } : {};
    expect((await step(website({}, status), provider, context)).reason).toBe('Available');
    await step(website({ deletionTimestamp: '2026-01-02T00:00:00Z' }, status), provider, context);
    expect(made.size).toBe(0);
  });

  test('rollout: a member is asked before it goes', async () => {
    const asked: string[] = [];
    const probes: Probes = {
      http: () => Promise.reject(new Error('not asked')),
      exec: (pod) => {
        asked.push(pod.name);
        return Promise.resolve({ exitCode: 0, output: 'ready' });
      },
    };
    const upgrade = { gates: [{ name: 'lag', target: 'Self', exec: { command: ['lag'] } } as const] };
    const checks = {
      upgrade,
      port: undefined,
      container: 'web',
      defaultGates: [],
      durationOf: (_text: string | undefined, defaultMs: number) => defaultMs,
    };
    const [first, second, third] = all();
    const members = [first, second, { ...third, held: true, finalizers: ['example.com/pre-terminate-hook'] }];
    const actions = await nextActions(seen(members), checks, { now: then, how: { probes, outside, signal } });
    expect(asked).toEqual(['cache-2']);
    expect(actions.map(({ kind }) => kind)).toEqual(['delete']);
  });

  test('partition: it comes to the highest member when that says yes, and stays above it until then', () => {
    const members = all();
    const gates = [{ name: 'lag', target: 'Self' }] as const;
    const set = { name: 'cache', members, applied: 'new', held: 'old', partition: everyMember };
    const withAnswer = (ok: boolean) => seen(members, { gates, answer: () => ({ ok, message: '' }) });
    const next = (ok: boolean) =>
      nextPartition({ ...set, present: 3, replicas: 3, record: undefined }, withAnswer(ok), then);
    expect([next(false), next(true)]).toEqual([everyMember, 2]);
  });

  test('disruption: a drain waits while the member says no, and the next one for the first', async () => {
    const created = { creationTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '1', namespace: 'web' };
    const pod = (ordinal: number): Pod => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...{ ...created, name: `hello-${ordinal}`, uid: `pod-${ordinal}`, labels: { website: 'hello' } },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'hello', uid: 'set', controller: true }],
      },
      spec: { containers: [{ name: 'web' }] },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    const set = { metadata: { ...created, name: 'hello', uid: 'set' }, spec: { replicas: 2 } };
    const present: Readonly<Record<string, unknown>> = { Website: website(), StatefulSet: set };
    const pods = [pod(0), pod(1)];
    let [site, status] = [website(), 503];
    const resourceOf = (kind: string) => ({
      find: (name: string) =>
        Promise.resolve({ ...present, Website: site, Pod: pods.find(({ metadata }) => metadata.name === name) }[kind]),
      list: () => Promise.resolve({ items: pods }),
      patch: (_name: string, { body }: { readonly body: Pick<Website, 'metadata'> }) =>
        Promise.resolve((site = website({ ...body.metadata }))),
    });
    const client = (({ kind }: { readonly kind: string }) => ({
      namespace: () => resourceOf(kind),
    })) as unknown as Client; // All that is called.
    const reader = { get: () => site } as unknown as CacheReader; // The method that is called.
    const probes: Probes = {
      http: () => Promise.resolve({ status, body: '' }),
      exec: () => Promise.reject(new Error('not asked')),
    };
    const gate = gateOf(reader, { client, clock, probes, outside: new OutsideCalls({ clock, metrics: noMetrics }) });
    const evict = (name: string) =>
      gate.admit(
        {
          ...{
            uid: 'r',
            operation: 'CREATE',
            subResource: 'eviction',
            namespace: 'web',
            name,
            object: null,
            oldObject: null,
          },
          kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
          resource: { group: '', version: 'v1', resource: 'pods' },
          userInfo: { username: 'admin' },
        },
        signal,
      );
    expect(await evict('hello-1')).toMatchObject({ code: 429, message: expect.stringContaining('HTTP 503') as string });
    status = 200;
    expect(await evict('hello-1')).toEqual({ allowed: true });
    expect(site.metadata.annotations?.['example.com/reservation']).toMatch(/^pod-1 /);
    expect(await evict('hello-0')).toMatchObject({ code: 429, message: expect.stringContaining('hello-1') as string });
  });

  test('canary: it bakes, is asked, and passes or fails by what it answers', () => {
    const [canary] = all({ since: then - 600_000 });
    const yes = { ok: true, message: 'HTTP 200' };
    const judged = (answer: typeof yes | undefined, since = canary.since) =>
      judge({ ...canary, since }, { judgements: [], answer }, then);
    expect(judged(yes, then).blockedBy).toBe('it has not been ready for 5 minutes');
    expect(judged(undefined).blockedBy).toBe('cache-0 has not been asked yet');
    expect(judged({ ok: false, message: 'HTTP 500' }).blockedBy).toMatch(/1 of 3 times with no: HTTP 500/);
    expect(judged(yes)).toMatchObject({ judgements: [{ podUID: 'uid-0', result: 'Passed' }] });
    expect(judged(yes)).not.toHaveProperty('blockedBy');
  });

  test('schedule: one report for each night', () => {
    const first = schedule.decide(website(), now);
    expect(first.actions).toHaveLength(1);
    expect(first.status?.status).toMatchObject({ lastReport: '2026-01-02T01:00:00Z' });
    const after = schedule.decide(website({}, first.status?.status as Website['status']), now);
    expect(after).toEqual({ actions: [], lookAgainAt: Date.UTC(2026, 0, 3, 1) });
  });

  test('seal: a status that another client has changed is not believed', () => {
    const statuses = statusesOf(createSecretKey(Buffer.alloc(32, 'key')));
    const site = website({ finalizers: ['example.com/files'] });
    const status = { lastReport: '2026-01-02T01:00:00Z' };
    const sealed = statuses.sealed({ descriptor: websites, object: site, status, fromScratch: true });
    expect(statuses.trusts({ ...site, status: sealed })).toBe(true);
    expect(statuses.trusts({ ...site, status: { ...sealed, lastReport: '2027-01-01T00:00:00Z' } as object })).toBe(
      false,
    );
  });

  test('seal: a Job that another client has made is not the operator’s own', async () => {
    const key = createSecretKey(Buffer.alloc(32, 'key'));
    const own = jobsOf(key, website());
    const spec = {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'publish', image: 'publish:1' }] } },
    };
    const metadata = { name: 'publish', namespace: 'web', labels: { 'example.com/purpose': 'Publish' } };
    const object = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec };
    const create = (made: Job): Promise<Job> => Promise.resolve(made);
    const client = (() => ({ in: () => ({ create }), namespace: () => ({ create }) })) as unknown as Client;
    const action = { kind: 'create', descriptor: jobs, object, because: 'it is new' } as const;
    const made = (await own.create(action, { client, signal })) as Job;
    expect(own.isOwn(made)).toBe(true);
    expect(own.isOwn({ ...made, metadata: { ...made.metadata, annotations: {} } })).toBe(false);
    expect(jobsOf(createSecretKey(Buffer.alloc(32, 'other')), website()).isOwn(made)).toBe(false);
  });

  test('validation: a new spec is refused for what is wrong with it, and one that stays as it is passes', () => {
    const site = website();
    const long: Website = { ...site, spec: { ...site.spec, page: 'x'.repeat(2_000) } };
    const large: Website = { ...long, spec: { ...long.spec, size: 'large' } };
    const message = 'spec.page: a small site has at most 1000 characters';
    expect(validation.admit({ object: site, oldObject: null })).toEqual({ allowed: true });
    expect(validation.admit({ object: long, oldObject: site })).toMatchObject({ allowed: false, code: 422, message });
    expect(validation.admit({ object: long, oldObject: long })).toEqual({ allowed: true });
    expect(validation.admit({ object: long, oldObject: large })).toMatchObject({
      message: `${message}; spec.size: a large site can’t become small: make a new one`,
    });
    expect([validation.invalid(site), validation.invalid(long)]).toEqual([undefined, message]);
  });
});
