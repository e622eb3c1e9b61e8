import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from './world/world.ts';

/** Pods with annotations of 100 kB each; `ATTACK_PODS=5000 npm run attack -- 06` is the long run. */
const count = Number(process.env['ATTACK_PODS'] ?? 500);
const bytes = Number(process.env['ATTACK_BYTES'] ?? 100_000);
const namespace = 'hoarder';
const path = `/api/v1/namespaces/${namespace}/pods`;

/** The limit that the operator's pod has, and what it may take of it. */
const heapMiB = 256;
const besidePodsMiB = 300;

let world: World;

beforeAll(async () => {
  world = await startWorld({ heapMiB });
  await world.allow('mallory', namespace, [{ apiGroups: [''], resources: ['pods'], verbs: ['create', 'delete'] }]);
});

afterAll(async () => {
  await world.admin.request('DELETE', `${path}?gracePeriodSeconds=0`).catch(() => undefined);
  await world.stop();
});

/** A pod as a member of a cache has it by its labels, so that the operator watches it, and with more text than anything reads. */
const large = (number: number): object => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: {
    name: `large-${number}`,
    namespace,
    labels: { 'app.kubernetes.io/name': 'clustered-cache', 'app.kubernetes.io/managed-by': 'ordinal-operator' },
    annotations: { filling: String(number).padStart(bytes, 'x') },
  },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'app', image: 'registry.invalid/app' }] },
});

test(`${count} pods with large annotations cost the operator little, while it runs and when it starts beside them`, async () => {
  const mallory = world.as('mallory');
  const idle = world.operator.residentMiB;
  let max = 0;
  for (let number = 0; number < count; number += 10) {
    const batch = Array.from({ length: 10 }, (_, index) => large(number + index));
    await Promise.all(batch.map((body) => mallory.request('POST', path, { body })));
    max = Math.max(max, world.operator.residentMiB);
  }
  expect(world.operator.isRunning).toBe(true);
  await world.operator.stop();
  const again = await startWorld({ heapMiB });
  let started = 0;
  for (let look = 0; look < 50; look += 1) {
    started = Math.max(started, again.operator.residentMiB);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const isReady = await again.operator.isReady();
  const cached = await again.operator.cachedBytes('pods');
  await again.stop();
  process.stdout.write(
    `resident MiB: ${JSON.stringify({ idle, max, started })}, in the cache of pods: ${cached} bytes\n`,
  );
  expect(isReady).toBe(true);
  // What nothing reads is not kept.
  expect(cached / count).toBeLessThan(4_000);
  expect(Math.max(max, started)).toBeLessThan(besidePodsMiB);
}, 600_000);
