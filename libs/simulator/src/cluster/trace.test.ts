import { expect, it } from 'vitest';
import { Trace } from './trace.ts';

it('forgets the oldest beyond its limit', () => {
  const trace = new Trace(100);
  for (let at = 0; at < 1000; at += 1) trace.add({ at, actor: 'a', action: 'create', subject: 'pods a' });
  expect(trace.entries.length).toBeLessThanOrEqual(100);
  expect(trace.entries.at(-1)?.at).toBe(999);
});
