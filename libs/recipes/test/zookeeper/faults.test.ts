import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Ended } from '../loopback-set.ts';
import { MemberSet, missing } from './members.ts';

const reason = missing === undefined ? 'with real servers' : `no ${missing} here`;
const three = [0, 1, 2];

/** One set, which each test leaves whole for the next: declared with one member, and scaled to three by the third test. */
const set = new MemberSet({ replicas: 1 });

const hasIt = async (ordinal: number): Promise<void> =>
  expect.poll(() => set.ask(ordinal, 'get /kept'), { timeout: 120_000 }).toMatch(/^yes$/m);

afterAll(() => set.remove());

describe.skipIf(missing !== undefined)(
  `members of ZooKeeper, when things fail (${reason})`,
  { timeout: 900_000 },
  () => {
    test('a start on a full volume leaves the data as it is, and the next one with room has it', async () => {
      set.start([0]);
      await set.settled();
      await set.ask(0, 'create /kept yes');
      await set.stop(0, { keepsPod: true });
      const [file, written] = [join(set.volume(0), 'zoo.cfg'), join(set.volume(0), 'zoo.cfg.new')];
      const before = readFileSync(file, 'utf8');
      symlinkSync('/dev/full', written);
      await set.says('can not write its configuration', () => set.start([0]));
      await expect.poll(() => set.runs(0), { timeout: 60_000 }).toBe(false);
      expect(readFileSync(file, 'utf8')).toBe(before);
      // The admin server listens for this host alone, unless the settings, which come later, say otherwise.
      expect(before).toMatch(/^admin\.serverAddress=127\.0\.0\.1\nmaxClientCnxns=200$/m);
      rmSync(written);
      set.start([0]);
      await set.settled();
      await hasIt(0);
    });

    test('a member with data that no zoo.cfg belongs to waits, and founds the cluster again when one is written by hand', async () => {
      await set.stop(0);
      const [copy, folder] = [join(set.folder, 'copy'), set.volume(0)];
      cpSync(join(folder, 'data'), copy, { recursive: true });
      set.loseVolume(0);
      cpSync(copy, join(folder, 'data'), { recursive: true });
      await set.says('no zoo.cfg that names members', () => set.start([0]));
      expect((await set.run(0, 'ready.sh')).code).toBe(1);
      writeFileSync(join(folder, 'zoo.cfg.dynamic'), `${set.line(0)}\n`);
      writeFileSync(join(folder, 'zoo.cfg'), `dynamicConfigFile=${join(folder, 'zoo.cfg.dynamic')}\n`);
      await set.settled();
      await hasIt(0);
    });

    test('a first member whose volume is lost founds no cluster while others than the declared one may have data, nor while it can’t know', async () => {
      set.start([1, 2]);
      await set.settled();
      const record = join(set.claims, '1/size');
      await expect.poll(() => readFileSync(record, 'utf8'), { timeout: 120_000 }).toBe('3\n');
      await set.stopAll([0, 2]);
      set.loseVolume(0);
      set.silence(true);
      await set.says('waits: the name server does not answer', () => set.start([0]));
      expect(await set.run(1, 'ready.sh')).toEqual({ code: 1, output: 'the name server does not answer' });
      set.undeclare();
      await set.says('waits: members-shop is missing', () => set.silence(false));
      await set.says('waits: shop-1 has not said that it has no data', () => set.declare(1));
      expect(set.hasData(0)).toBe(false);
      await set.answers(1, 'ready.sh', { code: 0 });
      set.start([2]);
      await set.settled();
      await hasIt(0);
    });

    test('after another password is in the Secret, members that run with the former one hand the lead over and are replaced', async () => {
      set.setPassword('other');
      const leader = await set.settled();
      expect(await set.run(leader, 'handoff.sh')).toEqual({ code: 0, output: '' });
      await set.stop(leader);
      set.loseVolume(leader);
      set.start([leader]);
      // It knows the new one alone, and members that know the former take nothing from it.
      await expect
        .poll(() => set.log, { timeout: 120_000 })
        .toMatch(new RegExp(`${String(leader)}: (.*\\n)*waits to join: .*ermission`));
      for (const ordinal of three.filter((other) => other !== leader)) {
        await set.stop(ordinal);
        set.start([ordinal]);
      }
      await set.settled();
      await hasIt(leader);
    });

    test('a member that is taken for removed while it hands the lead over is one again', async () => {
      writeFileSync(set.fileInPod(1, 'left'), '');
      await expect.poll(() => existsSync(set.fileInPod(1, 'left')), { timeout: 120_000 }).toBe(false);
      // The script that hands over ends before it has the member added.
      writeFileSync(set.fileInPod(1, 'hands-over'), '');
      await set.reconfig(0, '-remove -- 2');
      await set.settled();
      await expect.poll(() => existsSync(set.fileInPod(1, 'hands-over')), { timeout: 60_000 }).toBe(false);
    });

    test('a reduction removes a member also where that one hands the lead over just then', async () => {
      let left: Ended | undefined;
      // On a busy machine it may be added only after the reduction has looked once more, which is not what is tested: that looks later then.
      for (let rest = 5; !left?.output && rest < 100; rest *= 2) {
        writeFileSync(set.fileInPod(2, 'hands-over'), '');
        expect((await set.reconfig(0, '-remove -- 3')).code).toBe(0);
        const reduction = set.reduce(3, 2, { REST: String(rest) });
        await set.reconfig(0, `-add -- ${set.line(2)}`);
        rmSync(set.fileInPod(2, 'hands-over'), { force: true });
        left = await reduction;
      }
      expect(left).toEqual({ code: 0, output: 'removed shop-2' });
      expect(await set.list(0)).toEqual(['1 participant', '2 participant']);
    });

    test('a removed member on a volume that stayed joins again also where it starts before the others', async () => {
      await set.stopAll();
      set.start([2]);
      await expect.poll(() => existsSync(set.fileInPod(2, 'pid')), { timeout: 120_000 }).toBe(true);
      set.start([0, 1]);
      await set.settled();
      for (const ordinal of three) await hasIt(ordinal);
    });

    test('an address that the name server does not have is not one of which it says nothing', async () => {
      const asked = 'nslookup() { printf "%s\\n" "$SAID"; }\naddress 1\n';
      writeFileSync(join(set.folder, 'recipe/address.sh'), `. "\${0%/*}/member.sh"\n${asked}`);
      const server = 'Server:\t\t10.0.0.10\nAddress:\t10.0.0.10:53\n\n';
      for (const [said, ended] of [
        [`${server}Name:\tshop-1.shop\nAddress: 10.1.0.7`, { code: 0, output: '10.1.0.7' }],
        [`${server}Name:\tshop-1.shop\nAddress: fd00::7`, { code: 0, output: 'fd00::7' }],
        [`${server}** server can't find shop-1.shop: NXDOMAIN`, { code: 0, output: '' }],
        [`${server}** server can't find shop-1.shop: SERVFAIL`, { code: 1, output: '' }],
        [';; connection timed out; no servers could be reached', { code: 1, output: '' }],
      ] as const) {
        expect(await set.run(0, 'address.sh', { HOSTS: '', SAID: said })).toEqual(ended);
      }
    });
  },
);
