import type { CloudDatabase } from '@ordinal/api';
import { admitSpec } from '@ordinal/lifecycle';
import type { KindWebhook } from '../kind.ts';
import { validateCloudDatabase } from './validate.ts';

/** What the operator's webhooks ask of CloudDatabases. */
export const cloudDatabaseWebhook: KindWebhook<CloudDatabase> = {
  admit: (request) => admitSpec(request, { validate: validateCloudDatabase }),
  creates: () => [],
};
