import type { CloudDatabase } from '@ordinal/api';
import { admitSpec } from '@ordinal/lifecycle';
import type { SpecRequest } from '@ordinal/lifecycle';
import type { Verdict } from '@ordinal/runtime/webhooks';
import { validateCloudDatabase } from './validate.ts';

/** What the validating webhook answers to a new or changed CloudDatabase. Pure. */
export const admitCloudDatabase = (request: SpecRequest<CloudDatabase>): Verdict =>
  admitSpec(request, { validate: validateCloudDatabase });
