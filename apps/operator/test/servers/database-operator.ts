import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createClient } from '@ordinal/client';
import { cloudDatabaseControllers } from '@ordinal/reconcilers';
import { createManager } from '@ordinal/runtime';
import type { OperatorStart } from '@ordinal/simulator';
import { newPassword } from '../../src/controllers.ts';
import { createExchange, databaseProviders } from '../../src/providers/index.ts';

/** Where the providers of a test run. */
export const policy = { allowedNetworks: ['127.0.0.0/8'] };
const intervals = { movingMinMs: 100, movingMaxMs: 400, steadyMs: 500 };
/** The definition of CloudDatabase. */
export const crd = readFileSync(
  new URL('../../../../libs/api/crds/clouddatabases.db.example.com.yaml', import.meta.url),
  'utf8',
);

/** The operator of databases at providers that really run, with short intervals. */
export const databaseOperator: OperatorStart = async ({ transport, clock, random, identity }) => {
  const client = createClient({ transport, clock, random, fieldManager: 'ordinal-operator' });
  const exchange = createExchange({ policy });
  const providers = databaseProviders({
    clock,
    exchange,
    policy,
    callTimeoutMs: 5_000,
    rateLimit: { perSecond: 50, burst: 20 },
  });
  const events = { publish: () => undefined };
  const manager = createManager({ client, clock, random, name: 'test/operator', identity, events });
  const controller = { backoff: { baseMs: 50, capMs: 400, jitter: 0.2 } };
  const seals = { keys: () => [createSecretKey(Buffer.alloc(32, 'key'))] };
  for (const definition of cloudDatabaseControllers({ providers, seals, newPassword, intervals, controller }))
    manager.add(definition);
  void manager.start();
  return Promise.resolve({ stop: () => manager.stop() });
};
