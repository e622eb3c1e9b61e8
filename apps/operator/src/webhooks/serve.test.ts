import type { Client } from '@ordinal/client';
import { webhookPaths } from '@ordinal/constructs';
import type { Gate } from '@ordinal/reconcilers';
import { allow, deny } from '@ordinal/runtime/webhooks';
import type { AdmissionRequest } from '@ordinal/runtime/webhooks';
import { describe, expect, test } from 'vitest';
import type { Gates } from './serve.ts';
import { webhooksOf } from './serve.ts';

const request = { uid: 'u' } as AdmissionRequest; // All that the gates here read.
const closed: Gate = {
  admit: () => Promise.resolve(deny('closed')),
  undecided: (_request, why) => deny(why, { code: 429, reason: 'TooManyRequests' }),
};

const open: Gate = {
  admit: () => Promise.resolve(allow('seen')),
  undecided: () => allow(),
};

describe.each([
  ['disruption', webhookPaths.disruption],
  ['namespaces', webhookPaths.namespaces],
])('the webhook of the gate %s', (name, path) => {
  const served = (...gates: readonly Gate[]) => {
    const all: Gates = { disruption: [], namespaces: [], [name]: gates };
    const webhooks = webhooksOf({ client: {} as Client, reserved: [], gates: all });
    return webhooks.find((webhook) => webhook.path === path) ?? expect.fail('it is not served');
  };
  const signal = new AbortController().signal;

  test('asks it, also for what it could not judge: 429, and never allowed', async () => {
    const webhook = served(closed);
    expect(await webhook.review(request, signal)).toMatchObject({ response: { allowed: false } });
    expect(webhook.undecided?.(request, 'too many')).toMatchObject({ allowed: false, code: 429, message: 'too many' });
  });

  test('allows everything where it is not kept', async () => {
    const webhook = served();
    expect(await webhook.review(request, signal)).toMatchObject({ response: { allowed: true } });
    expect(webhook.undecided?.(request, 'too many')).toMatchObject({ allowed: true });
  });

  test('asks those of all kinds, and refuses what one of them refuses', async () => {
    const both = served(open, closed);
    expect(await both.review(request, signal)).toMatchObject({
      response: { allowed: false, status: { message: 'closed' } },
    });
    expect(both.undecided?.(request, 'too many')).toMatchObject({ allowed: false, code: 429 });
    const warnings = ['seen', 'seen'];
    expect(await served(open, open).review(request, signal)).toMatchObject({ response: { allowed: true, warnings } });
  });
});
