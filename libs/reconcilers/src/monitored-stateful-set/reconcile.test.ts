import { createSecretKey } from 'node:crypto';
import type { ReconcileContext } from '@ordinal/runtime';
import { awaitChange } from '@ordinal/runtime';
import { expect, test } from 'vitest';
import { monitoredStatefulSetControllers } from './index.ts';

test('a set that is gone is the end, and no error', async () => {
  const never = (): never => {
    throw new Error('nothing is asked');
  };
  const monitors = { at: never };
  const seals = { keys: () => [createSecretKey(Buffer.alloc(32, 'key'))] };
  const [sets] = monitoredStatefulSetControllers({ monitors, seals, probes: { http: never, exec: never } });
  // What the reconcile of an object that is not there may use: everything else would throw.
  const context = { cache: { get: () => undefined }, clock: { now: () => 0 }, random: () => 0 } as unknown;
  const outcome = sets?.reconcile({ namespace: 'team', name: 'db' }, context as ReconcileContext);
  await expect(outcome).resolves.toEqual(awaitChange());
});
