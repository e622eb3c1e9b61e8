import type { ConfigMap, DeleteOptions } from '@ordinal/client';
import { configMaps } from '@ordinal/client';
import { expect, test } from 'vitest';
import { SimulatedCluster } from '../../index.ts';

/** A webhook on deletions of ConfigMaps that answers after a while. */
async function withSlowWebhook(): Promise<SimulatedCluster> {
  const cluster = await SimulatedCluster.start();
  cluster.external('https://audit.example', async ({ body }) => {
    const { request } = JSON.parse(body) as { readonly request: { readonly uid: string } };
    await new Promise<void>((resolve) => void cluster.clock.after(300, resolve));
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
    return { status: 200, body: JSON.stringify({ ...review, response: { uid: request.uid, allowed: true } }) };
  });
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] };
  const webhook = {
    ...{ name: 'slow.audit.example', clientConfig: { url: 'https://audit.example' }, rules: [rule] },
    ...{ failurePolicy: 'Ignore', sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 5 },
  };
  await cluster.client().request('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    body: {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
      ...{ metadata: { name: 'slow-audit' }, webhooks: [webhook] },
    },
  });
  return cluster;
}

const named = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } as const;

/** Deletes an object twice under a slow webhook, a tenth of a second apart, and does something between the ends of both; the answer to the later one. */
async function laterOfTwo(
  options: (first: ConfigMap) => DeleteOptions,
  between: (cluster: SimulatedCluster) => Promise<unknown>,
): Promise<unknown> {
  const cluster = await withSlowWebhook();
  const home = cluster.client()(configMaps).namespace('default');
  const first = await home.create(named);
  const outcome = await cluster.play(async () => {
    const early = home.delete('a', options(first));
    await new Promise<void>((resolve) => void cluster.clock.after(100, resolve));
    const late = home.delete('a', options(first)).catch((error: unknown) => error);
    await early;
    await between(cluster);
    return late;
  });
  cluster.stop();
  return outcome;
}

test('of two deletions of one object under a slow webhook, the later one does not hit what has taken its name meanwhile', async () => {
  const outcome = await laterOfTwo(
    ({ metadata }) => ({ preconditions: { uid: metadata.uid } }),
    (cluster) => cluster.client()(configMaps).namespace('default').create(named),
  );
  expect(outcome).toMatchObject({ code: 'Conflict' });
});

test('and it gets 404 where the first one has deleted it', async () => {
  const outcome = await laterOfTwo(
    () => ({}),
    async () => undefined,
  );
  expect(outcome).toMatchObject({ code: 'NotFound' });
});

test('of a collection that is deleted, one that has gone meanwhile fails nothing', async () => {
  const cluster = await withSlowWebhook();
  const home = cluster.client()(configMaps).namespace('default');
  for (const name of ['a', 'b']) await home.create({ ...named, metadata: { name, labels: { of: 'test' } } });
  await cluster.play(async () => {
    const early = home.delete('a');
    await new Promise<void>((resolve) => void cluster.clock.after(100, resolve));
    await home.deleteCollection({ labelSelector: 'of=test' });
    await early;
  });
  cluster.stop();
  expect(cluster.objects.list(configMaps, 'default').filter(({ metadata }) => metadata.labels?.['of'])).toEqual([]);
});
