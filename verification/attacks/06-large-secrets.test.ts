import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperatorProcess } from './world/operator-process.ts';
import { startWorld, type World } from './world/world.ts';

/** Secrets of a megabyte each: as large as the API server takes them, nearly. */
const count = 300;
const bytes = 1_000_000;
/** And some that one by one are small enough for the operator's cache. */
const middling = 400_000;
const namespace = 'hoarder';
const path = `/api/v1/namespaces/${namespace}/secrets`;

/** The limit that the operator's pod has, and what it may take of it. The program runs from its sources here, which costs 50 MiB more than the bundle of the image. */
const heapMiB = 512;
const besideSecretsMiB = 200;

let world: World;

beforeAll(async () => {
  world = await startWorld({ heapMiB });
  await world.allow('mallory', namespace, [{ apiGroups: [''], resources: ['secrets'], verbs: ['create', 'delete'] }]);
});

afterAll(async () => {
  await world.admin.request('DELETE', path).catch(() => undefined);
  await world.stop();
});

/** The largest memory that the process takes while so many milliseconds pass. */
async function maxMiB(operator: OperatorProcess, forMs: number): Promise<number> {
  let max = 0;
  for (const end = performance.now() + forMs; performance.now() < end;) {
    max = Math.max(max, operator.residentMiB);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return max;
}

test('300 Secrets of 0.4 and 1 MB cost the operator next to nothing, while it runs and when it starts beside them', async () => {
  const idle = await maxMiB(world.operator, 5_000);
  const mallory = world.as('mallory');
  let after = 0;
  for (let number = 0; number < count; number += 1) {
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `large-${number}`, namespace },
      data: { filling: randomBytes(Math.floor(((number % 3 === 0 ? middling : bytes) * 3) / 4)).toString('base64') },
    };
    await mallory.request('POST', path, { body });
    after = Math.max(after, world.operator.residentMiB);
  }
  after = Math.max(after, await maxMiB(world.operator, 5_000));
  expect(world.operator.isRunning).toBe(true);
  await world.operator.stop();
  const again = await startWorld({ heapMiB });
  const started = await maxMiB(again.operator, 5_000);
  const isReady = await again.operator.isReady();
  const cached = await again.operator.cachedBytes('secrets');
  await again.stop();
  const figures = { idle, after, started };
  process.stdout.write(`resident MiB: ${JSON.stringify(figures)}\n`);
  expect(isReady).toBe(true);
  // Metadata only.
  expect(cached / count).toBeLessThan(4_000);
  expect(Math.max(after, started)).toBeLessThan(besideSecretsMiB);
});
