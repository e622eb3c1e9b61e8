import type { Client } from '@ordinal/client';
import { webhookPaths } from '@ordinal/constructs';
import { deny } from '@ordinal/runtime/webhooks';
import type { AdmissionRequest } from '@ordinal/runtime/webhooks';
import { describe, expect, test } from 'vitest';
import type { Gate } from './serve.ts';
import { webhooksOf } from './serve.ts';

const request = { uid: 'u' } as AdmissionRequest; // All that the gates here read.
const closed: Gate = {
  admit: () => Promise.resolve(deny('closed')),
  undecided: (_request, why) => deny(why, { code: 429, reason: 'TooManyRequests' }),
};

describe.each([
  ['disruption', webhookPaths.disruption],
  ['namespaces', webhookPaths.namespaces],
])('the webhook of the gate %s', (name, path) => {
  const served = (gates: Readonly<Record<string, Gate>>) =>
    webhooksOf({ client: {} as Client, reserved: [], ...gates }).find((webhook) => webhook.path === path) ??
    expect.fail('it is not served');

  test('asks it, also for what it could not judge: 429, and never allowed', async () => {
    const webhook = served({ [name]: closed });
    expect(await webhook.review(request, new AbortController().signal)).toMatchObject({ response: { allowed: false } });
    expect(webhook.undecided?.(request, 'too many')).toMatchObject({ allowed: false, code: 429, message: 'too many' });
  });

  test('allows everything where it is not kept', async () => {
    const webhook = served({});
    expect(await webhook.review(request, new AbortController().signal)).toMatchObject({ response: { allowed: true } });
    expect(webhook.undecided?.(request, 'too many')).toMatchObject({ allowed: true });
  });
});
