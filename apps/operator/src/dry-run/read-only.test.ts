import type { HttpCheck, Probes } from '@ordinal/lifecycle';
import { expect, test } from 'vitest';
import { isWriteRefused, readOnlyProbes } from './read-only.ts';

const pod = { namespace: 'shop', name: 'sessions-0' };
const options = { timeoutMs: 1_000, signal: new AbortController().signal };
const check: HttpCheck = { path: '/role', port: 80, scheme: 'HTTP', method: 'GET', via: 'PodIP' };

test('a dry run asks a member by GET, and neither has it hand over nor sends it anything else', async () => {
  const sent: string[] = [];
  const probes: Probes = {
    http: (_pod, { path }) => {
      sent.push(path);
      return Promise.resolve({ status: 200, body: '' });
    },
    exec: () => Promise.reject(new Error('nothing is run')),
  };
  const { http } = readOnlyProbes(probes);
  await http(pod, check, options);
  for (const refused of [{ ...check, path: '/handoff', changes: true } as const, { ...check, method: 'POST' } as const])
    await expect(http(pod, refused, options).catch(isWriteRefused)).resolves.toBe(true);
  expect(sent).toEqual(['/role']);
});
