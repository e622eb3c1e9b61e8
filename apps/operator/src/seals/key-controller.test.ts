import { createSecretKey } from 'node:crypto';
import { secrets } from '@ordinal/client';
import { SimulatedCluster } from '@ordinal/simulator';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SealKeyController } from './key-controller.ts';

const silent = (): void => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent, child: () => log };
let cluster: SimulatedCluster;
let made = 0;

const controller = (): SealKeyController =>
  new SealKeyController({
    client: cluster.client(),
    clock: cluster.clock,
    log,
    secret: { namespace: 'default', name: 'ordinal-operator-seal' },
    newKey: () => createSecretKey(Buffer.alloc(32, (made += 1))),
  });
/** The keys of a replica as bytes, which a comparison can tell apart. */
const keysOf = (replica: SealKeyController): readonly Buffer[] => replica.keys().map((key) => key.export());
const resource = () => cluster.client()(secrets).namespace('default');
const { signal } = new AbortController();

beforeEach(async () => {
  made = 0;
  cluster = await SimulatedCluster.start({ seed: 1, nodes: 0 });
});
afterEach(() => cluster.stop());

test('replicas that begin at the same time share one key', async () => {
  const replicas = [controller(), controller(), controller()];
  await Promise.all(replicas.map((replica) => replica.ready(signal)));
  const [first, ...others] = replicas.map(keysOf);
  expect(first).toHaveLength(1);
  for (const other of others) expect(other).toEqual(first);
});

test('a Secret that is deleted comes back with the same key, and further keys are taken up', async () => {
  const one = controller();
  await one.ready(signal);
  const [key] = keysOf(one);
  await resource().delete('ordinal-operator-seal');
  await cluster.advance(2_000);
  await one.renew();
  const other = controller();
  await other.ready(signal);
  expect(keysOf(other)).toEqual([key]);
  const lines = [Buffer.alloc(32, 9), Buffer.from(key ?? [])].map((each) => each.toString('base64')).join('\n');
  const body = { data: { keys: Buffer.from(lines).toString('base64') } };
  await resource().patch('ordinal-operator-seal', { type: 'merge', body });
  await cluster.advance(2_000);
  await one.renew();
  expect(keysOf(one)).toEqual([Buffer.alloc(32, 9), key]);
});

test('a Secret without a key that is long enough is no key', async () => {
  const data = { keys: Buffer.from('c2hvcnQ=').toString('base64') };
  await resource().create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'ordinal-operator-seal' }, data });
  const one = controller();
  await one.renew();
  expect(keysOf(one)).toEqual([]);
});
