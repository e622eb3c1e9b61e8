import { readFileSync } from 'node:fs';
import { check, run } from './kubernetes.ts';

/** The bridge that tools/cluster joins pods by, and a port of it for a short time. */
const bridge = 'cni0';
const port = 'e2e-lowest';

const addressOf = (device: string): string => readFileSync(`/sys/class/net/${device}/address`, 'utf8').trim();

/**
 * Gives the bridge a port whose address is lower than any pod's, and takes it away again. A bridge without an address of its own would take the port's: pods
 * that know the old one get no answer from the cluster's DNS for five to ten seconds then, and clients in them find no new leader.
 */
export async function checkBridgeAddress(): Promise<string> {
  const before = addressOf(bridge);
  await run('ip', [
    'link',
    'add',
    port,
    'address',
    '02:00:00:00:00:01',
    'type',
    'veth',
    'peer',
    'name',
    `${port}-peer`,
  ]);
  try {
    await run('ip', ['link', 'set', port, 'master', bridge]);
    const during = addressOf(bridge);
    check(during === before, `the bridge ${bridge} was ${before} and became ${during} when a port came`);
    return before;
  } finally {
    await run('ip', ['link', 'delete', port]);
  }
}
