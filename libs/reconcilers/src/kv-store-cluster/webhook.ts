import type { KVStoreCluster } from '@ordinal/api';
import { admitSpec } from '@ordinal/lifecycle';
import type { SpecRequest } from '@ordinal/lifecycle';
import type { Verdict } from '@ordinal/runtime/webhooks';
import { validateKVStoreCluster } from './validate.ts';

/** What the validating webhook answers to a new or changed KVStoreCluster. Pure. */
export const admitKVStoreCluster = (request: SpecRequest<KVStoreCluster>): Verdict =>
  admitSpec(request, { validate: validateKVStoreCluster });
