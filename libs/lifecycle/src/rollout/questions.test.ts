import type { Job } from '@ordinal/client';
import { describe, expect, test, vi } from 'vitest';
import { all, member } from '../../test/rollout/seen.ts';
import type { Probes } from '../health-check/index.ts';
import { askUntilDecided } from './ask-until-decided.ts';
import type { GateJobs } from './gate-job.ts';
import type { Question, RolloutAnswer } from './observation.ts';
import type { MemberChecks, SpecUpgrade } from './policy.ts';
import { answerTo, checkFor, putQuestion } from './questions.ts';

const checks = (upgrade: SpecUpgrade, change: Partial<MemberChecks> = {}): MemberChecks => ({
  upgrade,
  port: 6379,
  container: 'cache',
  defaultGates: [{ name: 'usual', target: 'Peers', exec: { command: ['ready'] } }],
  durationOf: (text, defaultMs) => (text === undefined ? defaultMs : Number(text.slice(0, -1)) * 1000),
  ...change,
});

const of = member(0);
const candidate = member(1);

test.each([
  ['as it is given', { scheme: 'HTTPS', via: 'Proxy', port: 9121, path: '/lag' }],
  [
    'over the pod’s own address, where nothing is given',
    { scheme: 'HTTP', via: 'PodIP', port: 6379, path: '/metrics' },
  ],
] as const)('a metric is asked for %s', (what, request) => {
  const lag = { name: 'lag', max: 0 };
  const metric = what === 'as it is given' ? { ...lag, ...request } : { ...lag, path: '/metrics' };
  const gate = { about: 'gate', gate: 'lag', of, candidate } as const;
  const expected = { kind: 'metric', metric: { request: { ...request, method: 'GET' }, name: 'lag', max: 0 } };
  expect(checkFor(gate, checks({ gates: [{ name: 'lag', target: 'Self', metric }] }))).toMatchObject(expected);
  expect(checkFor({ about: 'sync', of }, checks({ sync: { metric } }))).toMatchObject(expected);
});

test('a command runs in the kind’s own container unless the check names another', () => {
  const exec = (container?: string) => ({
    exec: { command: ['go'], ...(container === undefined ? {} : { container }) },
  });
  expect(checkFor({ about: 'handoff', of }, checks({ handoff: exec() }))).toMatchObject({
    timeoutMs: 30_000,
    exec: { container: 'cache' },
  });
  expect(checkFor({ about: 'role', of }, checks({ role: { ...exec('sidecar'), timeout: '2s' } }))).toMatchObject({
    timeoutMs: 2000,
    exec: { container: 'sidecar' },
  });
});

describe('an answer', () => {
  const jobs: GateJobs = {
    now: Date.parse('2026-01-01T00:00:00Z'),
    present: [],
    pods: [],
    metadata: (name) => ({ name, namespace: 'shop' }),
    hashOf: (value) => String(JSON.stringify(value).length),
    durationOf: () => 60_000,
    askedAtAnnotation: 'example.com/asked-at',
    environmentPrefix: 'SHOP',
  };
  const from = (upgrade: SpecUpgrade, present: readonly Job[] = []) => ({
    ...{ checks: checks(upgrade), answers: new Map<string, RolloutAnswer>() },
    jobs: { ...jobs, present },
  });

  test('is read from the label that tells a role, and a member without it does not lead', () => {
    const sources = from({ role: { label: 'role', leaderValue: 'primary' } });
    const role = (labels: Record<string, string>) => answerTo({ about: 'role', of: { ...of, labels } }, sources);
    expect(role({ role: 'Primary' })).toEqual({ ok: true, message: 'role Primary' });
    expect(role({})).toEqual({ ok: false, message: 'no role' });
  });

  test('of a gate’s Job is asked for by making it, with the variables of the kind', () => {
    const gate = {
      name: 'check',
      target: 'Peers',
      job: { template: { template: { spec: { containers: [] } } } },
    } as const;
    const template = { template: { spec: { containers: [{ name: 'c', image: 'check:1' }] } } };
    const sources = from({ gates: [{ ...gate, job: { template } }] });
    const answer = answerTo({ about: 'gate', gate: 'check', of, candidate }, sources);
    expect(answer?.ok).toBe(false);
    expect(answer?.actions).toMatchObject([
      {
        kind: 'create',
        object: {
          metadata: { namespace: 'shop', annotations: { 'example.com/asked-at': '2026-01-01T00:00:00Z' } },
          spec: {
            template: {
              spec: { containers: [{ env: expect.arrayContaining([{ name: 'SHOP_POD', value: candidate.name }]) }] },
            },
          },
        },
      },
    ]);
  });
});

test('what can’t be put to a member is unknown, and no member is asked', async () => {
  const probes: Probes = { http: vi.fn(), exec: vi.fn() };
  const how = { probes, signal: new AbortController().signal, outside: <T>(call: () => Promise<T>) => call() };
  const http = { path: '/role' };
  const noPort = { ...checks({ role: { http } }), port: undefined };
  expect(await putQuestion({ about: 'role', of }, noPort, how)).toMatchObject({ ok: false, unknown: true });
  expect(probes.http).not.toHaveBeenCalled();
});

describe('asking until it is decided', () => {
  const questions: readonly Question[] = all().map((one) => ({ about: 'sync', of: one }));

  test('puts each question once, and keeps the answers', async () => {
    const put = vi.fn(() => Promise.resolve({ ok: true, message: 'yes' }));
    const answers = new Map<string, RolloutAnswer>();
    const decide = () => (answers.size < 3 ? { ask: questions } : { done: answers.size });
    expect(await askUntilDecided({ decide, put, maxRounds: 3 }, answers)).toEqual({ done: 3 });
    expect(put).toHaveBeenCalledTimes(3);
  });

  test('ends without a decision after as many rounds as it may', async () => {
    const put = vi.fn(() => Promise.resolve({ ok: false, message: 'no' }));
    const decide = (): { done: true } | { ask: readonly Question[] } => ({ ask: questions });
    expect(await askUntilDecided({ decide, put, maxRounds: 2 })).toBeUndefined();
    expect(put).toHaveBeenCalledTimes(6);
  });
});
