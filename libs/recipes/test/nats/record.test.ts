import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { MemberSet, missing } from './members.ts';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function setOf(): MemberSet {
  const set = new MemberSet();
  ends.push(() => set.remove());
  return set;
}

/** What a member's monitoring says of the cluster. */
interface Said {
  readonly leader?: string;
  readonly peer?: string;
  /** The other servers, as a leader knows them now. */
  readonly replicas?: () => readonly object[];
}

/** Stands for a member: its server is healthy, and its monitoring says this of the cluster. */
async function monitoringOf(set: MemberSet, ordinal: number, { replicas = () => [], ...said }: Said): Promise<void> {
  const server = createServer((request, response) => {
    const cluster = { name: 'shop', ...said, replicas: replicas(), cluster_size: 3 };
    const answer = request.url === '/healthz' ? { status: 'ok' } : { meta_cluster: cluster };
    response.end(JSON.stringify(answer, undefined, 2));
  });
  server.listen(set.port - 10_000, set.address(ordinal));
  await once(server, 'listening');
  ends.push(() => server[Symbol.asyncDispose]());
  set.makePods([ordinal]);
}

/** Offers the files of a folder as a member does. Returns that folder. */
function offeredBy(set: MemberSet, ordinal: number): string {
  const folder = join(set.folder, 'offered');
  mkdirSync(folder);
  const at = `${set.address(ordinal)}:${String(set.port - 9_999)}`;
  const offering = spawn('busybox', ['httpd', '-f', '-p', at, '-h', folder], { stdio: 'ignore' });
  ends.push(() => offering.kill());
  return folder;
}

/** The names of servers that member 0 has on record. */
function recordOf(set: MemberSet): string {
  const file = join(set.claims, '0/peers');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

describe.skipIf(missing !== undefined)('what members of NATS say of one another', { timeout: 600_000 }, () => {
  test('a member whose record of names is not there yet is asked again, and its answer is no record', async () => {
    const set = setOf();
    await monitoringOf(set, 1, { leader: 'shop-1', peer: 'aB3dE6gH' });
    const offered = offeredBy(set, 1);
    set.start([0]);
    await expect.poll(() => set.log, { timeout: 120_000 }).toContain('0: joins as shop-0-');
    expect(recordOf(set)).toBe('');
    writeFileSync(join(offered, 'peers'), 'aB3dE6gH shop-1\nxY9 shop-2-6b0895ed\n');
    await expect.poll(() => recordOf(set), { timeout: 120_000 }).toBe('aB3dE6gH shop-1\nxY9 shop-2-6b0895ed\n');
  });

  test('a member asks the others for the name of a server that the leader does not know', async () => {
    const set = setOf();
    // As the leader says it of a server that was away since it started itself.
    const away = { name: 'Server name unknown at this time (peerID: xY9)', current: false, offline: true, peer: 'xY9' };
    const replicas = () => [{ name: set.serverOf(0), current: true, peer: 'zZ1' }, away];
    await monitoringOf(set, 1, { leader: 'shop-1', peer: 'aB3dE6gH', replicas });
    const offered = offeredBy(set, 1);
    set.start([0]);
    await expect.poll(() => recordOf(set), { timeout: 120_000 }).toMatch(/^aB3dE6gH shop-1\nzZ1 shop-0-[0-9a-f]+\n$/);
    writeFileSync(join(offered, 'peers'), 'aB3dE6gH shop-1\nxY9 shop-0\n');
    await expect.poll(() => recordOf(set), { timeout: 120_000 }).toContain('xY9 shop-0\n');
  });

  test('a leader that has crashed and does not lead any more is not asked who is in the cluster', async () => {
    const set = setOf();
    await monitoringOf(set, 0, { leader: 'shop-1' });
    await monitoringOf(set, 1, { peer: 'aB3dE6gH' });
    const { code, output } = await set.run(0, 'quorum.sh');
    expect([code, output]).toEqual([1, 'the cluster has no leader, or it does not answer']);
  });
});
