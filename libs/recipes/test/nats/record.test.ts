import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { MemberSet, missing } from './members.ts';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** What stands for member 1: its monitoring says that it leads, and what it offers the others is in a folder. Returns that folder. */
async function leaderOf(set: MemberSet): Promise<string> {
  const cluster = { name: 'shop', leader: 'shop-1', peer: 'aB3dE6gH', replicas: [], cluster_size: 1 };
  const monitoring = createServer((_, response) =>
    response.end(JSON.stringify({ meta_cluster: cluster }, undefined, 2)),
  );
  monitoring.listen(set.port - 10_000, set.address(1));
  await once(monitoring, 'listening');
  ends.push(() => monitoring[Symbol.asyncDispose]());
  const state = join(set.folder, 'offered');
  mkdirSync(state);
  const at = `${set.address(1)}:${String(set.port - 9_999)}`;
  const offering = spawn('busybox', ['httpd', '-f', '-p', at, '-h', state], { stdio: 'ignore' });
  ends.push(() => offering.kill());
  set.makePods([1]);
  return state;
}

test.skipIf(missing !== undefined)(
  'a member whose record of names is not there yet is asked again, and its answer is no record',
  { timeout: 60_000 },
  async () => {
    const set = new MemberSet();
    ends.push(() => set.remove());
    const state = await leaderOf(set);
    const record = join(set.claims, '0/peers');
    const read = (): string => (existsSync(record) ? readFileSync(record, 'utf8') : '');
    set.start([0]);
    await expect.poll(() => set.log, { timeout: 30_000 }).toContain('0: joins as shop-0-');
    expect(read()).toBe('');
    writeFileSync(join(state, 'peers'), 'aB3dE6gH shop-1\nxY9 shop-2-6b0895ed\n');
    await expect.poll(read, { timeout: 30_000 }).toBe('aB3dE6gH shop-1\nxY9 shop-2-6b0895ed\n');
  },
);
