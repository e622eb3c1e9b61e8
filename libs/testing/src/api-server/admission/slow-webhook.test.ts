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

test('of two deletions of one object under a slow webhook, the later one does not hit what has taken its name meanwhile', async () => {
  const cluster = await withSlowWebhook();
  const home = cluster.client()(configMaps).namespace('default');
  const named = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } as const;
  const first = await home.create(named);
  const preconditions = { uid: first.metadata.uid };
  const outcome = await cluster.play(async () => {
    const early = home.delete('a', { preconditions });
    await new Promise<void>((resolve) => void cluster.clock.after(100, resolve));
    const late = home.delete('a', { preconditions }).then(
      () => 'deleted',
      () => 'refused',
    );
    await early;
    await home.create(named);
    return late;
  });
  cluster.stop();
  expect(outcome).toBe('refused');
});
