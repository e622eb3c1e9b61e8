import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { MemberSet, missing } from './members.ts';

/** Prints for how many seconds its process keeps an address, and that there is none. */
const probe = `
public class Kept {
  public static void main(String[] arguments) {
    System.out.print(sun.net.InetAddressCachePolicy.get() + " " + sun.net.InetAddressCachePolicy.getNegative());
  }
}`;

let set: MemberSet | undefined;
afterEach(async () => {
  await set?.remove();
});

const timeout = { timeout: 120_000 };

// The pod of a member that is replaced has no address for a while: by Java's own rule the others would not find it for ten seconds more.
test.skipIf(missing !== undefined)(
  'a server of ZooKeeper soon asks again for a member’s address, also where there was none',
  timeout,
  async () => {
    set = new MemberSet({ replicas: 1 });
    set.start([0]);
    await set.settled();
    const pid = readFileSync(join(set.folder, 'tools/0/pid'), 'utf8').trim();
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const flags = line.slice(1, line.indexOf('-cp'));
    const source = join(set.folder, 'Kept.java');
    writeFileSync(source, probe);
    const kept = execFileSync('java', [...flags, '--add-exports', 'java.base/sun.net=ALL-UNNAMED', source]);
    expect(kept.toString()).toBe('3 1');
  },
);
