import {
  configMaps,
  createClient,
  isApiError,
  namespaces,
  systemClock,
  validatingWebhookConfigurations,
} from '@ordinal/client';
import type { ValidatingWebhookConfigurationInput } from '@ordinal/client';
import { deny, readReview, reviewReply } from '@ordinal/runtime/webhooks';
import { afterEach, expect, test } from 'vitest';
import { ApiServer } from '../api-server/index.ts';
import type { WebhookCaller } from '../api-server/index.ts';
import { httpsWebhooks } from '../http/webhook-calls.ts';
import { Network } from '../node/network.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import { Activity } from './activity.ts';
import { fencePlace } from './fence.ts';
import { ImpersonatingTransport } from './impersonating-transport.ts';
import { WebhookRelay } from './webhook-relay.ts';
import { WebhookTransport } from './webhook-transport.ts';

const ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended.splice(0)) end();
});

/** A server that calls webhooks by the machine's network alone, as `caller` does, and a world on the way to it, which goes on all the time. */
function newWorld(caller: WebhookCaller = httpsWebhooks) {
  const scheduler = new Scheduler({ seed: 1 });
  const network = new Network(scheduler);
  const activity = new Activity();
  const relay = new WebhookRelay({ fetch: network.fetchAs('kube-apiserver'), activity });
  const server = new ApiServer({ clock: systemClock, random: () => 0.5, webhooks: caller });
  const client = createClient({ transport: new WebhookTransport(server.transport(), relay) });
  const timer = setInterval(() => void scheduler.advance(2), 2);
  ended.push(() => {
    clearInterval(timer);
    relay.stop();
  });
  return { network, client, relay, activity };
}

const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }] as const;

const registrationOf = (clientConfig: object): ValidatingWebhookConfigurationInput => ({
  ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
  metadata: { name: 'policy' },
  webhooks: [{ name: 'policy.example.com', clientConfig, rules, sideEffects: 'None', admissionReviewVersions: ['v1'] }],
});

const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } } as const;

/** Refuses everything, with the path that it was asked at. */
const refuses = ({ url, body }: { readonly url: URL; readonly body: string }) => {
  const verdict = deny(`${url.host}${url.pathname} says no`);
  return { status: 200, body: JSON.stringify(reviewReply(readReview(body).uid, verdict)) };
};

test.each([
  [{ service: { name: 'policy', namespace: 'ops', path: '/judge' } }, 'https://policy.ops.svc', '/judge'],
  [{ service: { name: 'policy', namespace: 'ops', port: 8443 } }, 'https://policy.ops.svc:8443', '/'],
  [{ url: 'https://policy.example/v1/judge' }, 'https://policy.example', '/v1/judge'],
])('whoever reaches the loopback address alone asks a webhook of the world: %j', async (clientConfig, origin, path) => {
  const { network, client } = newWorld();
  network.external(origin, refuses);
  await client(validatingWebhookConfigurations).cluster().create(registrationOf(clientConfig));
  await expect(client(configMaps).namespace('default').create(settings)).rejects.toThrow(
    `${new URL(origin).host}${path} says no`,
  );
});

test('a webhook at the root of its host is asked, although API servers leave out a slash at the end', async () => {
  const { network, client } = newWorld((call) => {
    const { url = '' } = call.clientConfig;
    return httpsWebhooks({ ...call, clientConfig: { ...call.clientConfig, url: url.replace(/\/$/, '') } });
  });
  network.external('https://policy.example', refuses);
  await client(validatingWebhookConfigurations)
    .cluster()
    .create(registrationOf({ url: 'https://policy.example' }));
  await expect(client(configMaps).namespace('default').create(settings)).rejects.toThrow('policy.example/ says no');
});

test('a registration is in effect when its reply comes, although the server takes notice of it later', async () => {
  let early = 5;
  const { network, client } = newWorld((call) => ((early -= 1) >= 0 ? { failed: 'not yet' } : httpsWebhooks(call)));
  network.external('https://policy.example', refuses);
  await client(validatingWebhookConfigurations)
    .cluster()
    .create(registrationOf({ url: 'https://policy.example/' }));
  expect(early).toBeLessThan(0);
  await expect(client(configMaps).namespace('default').create(settings)).rejects.toThrow('says no');
});

test('a webhook without an answer has failed', async () => {
  const { client, activity } = newWorld();
  await client(validatingWebhookConfigurations)
    .cluster()
    .create(registrationOf({ url: 'https://unknown.example/' }));
  const asked = activity.last;
  await expect(client(configMaps).namespace('default').create(settings)).rejects.toThrow('failed calling webhook');
  expect(activity.last).toBeGreaterThan(asked);
});

test('what was read and is put again reaches the same webhook', async () => {
  const { network, client } = newWorld();
  network.external('https://policy.example', refuses);
  const resource = client(validatingWebhookConfigurations).cluster();
  const { webhooks = [], ...rest } = await resource.create(registrationOf({ url: 'https://policy.example/v1' }));
  const again = await resource.update({ ...rest, webhooks });
  expect(again.webhooks?.map(({ name }) => name)).toEqual(webhooks.map(({ name }) => name));
  expect(again.webhooks?.at(-1)).toEqual(webhooks.at(-1));
  await expect(client(configMaps).namespace('default').create(settings)).rejects.toThrow('policy.example/v1 says no');
});

test('what is none of the world’s is no concern of its webhooks', async () => {
  const { network, client } = newWorld();
  network.external('https://policy.example', refuses);
  await client(namespaces)
    .cluster()
    .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: fencePlace.namespace } });
  await client(validatingWebhookConfigurations)
    .cluster()
    .create(registrationOf({ url: 'https://policy.example/' }));
  const made = await client(configMaps).namespace(fencePlace.namespace).create(settings);
  expect(made.metadata.name).toBe('settings');
});

test.each([
  { url: 'http://policy.example/' },
  { url: 'https://policy.example/?all' },
  { url: 'https://policy.example/', service: { name: 'policy', namespace: 'ops', port: 443 } },
  {},
])('what no API server accepts is passed to it as it is: %j', async (clientConfig) => {
  const { client } = newWorld();
  const made = client.dryRun()(validatingWebhookConfigurations).cluster().create(registrationOf(clientConfig));
  const sent = await made.then(
    ({ webhooks }) => webhooks?.at(-1)?.clientConfig,
    (error: unknown) => (isApiError(error, 'Invalid') ? clientConfig : undefined),
  );
  expect(sent).toEqual(clientConfig);
});

test('a client with an identity of its own is another user to the server', async () => {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5, authorizes: true });
  const as = (...groups: readonly string[]) =>
    createClient({ transport: new ImpersonatingTransport(server.transport(), { name: 'operator', groups }) });
  await expect(as('staff')(configMaps).namespace('default').create(settings)).rejects.toThrow('operator');
  const made = await as('system:masters')(configMaps).namespace('default').create(settings);
  expect(made.metadata.name).toBe('settings');
  const alice = as('staff').impersonate({ name: 'alice', groups: ['system:masters'] });
  expect((await alice(configMaps).namespace('default').get('settings')).metadata.uid).toBe(made.metadata.uid);
});

test('a registration is not patched: what it would be then is known to the server alone', async () => {
  const { client } = newWorld();
  const resource = client(validatingWebhookConfigurations).cluster();
  await resource.create(registrationOf({ url: 'https://policy.example/' }));
  await expect(resource.patch('policy', { type: 'merge', body: { webhooks: [] } })).rejects.toThrow(TypeError);
});
