import type { TestCluster } from '@ordinal/simulator';

/** Another owner's webhook: where it answers, and what it is asked about. */
export interface ForeignWebhook {
  readonly name: string;
  readonly url: string;
  readonly rule: {
    readonly apiGroups: readonly string[];
    readonly operations: readonly string[];
    readonly resources: readonly string[];
  };
}

/** Registers a validating webhook of another owner. Where it does not answer, nothing is refused. */
export async function registerForeignWebhook(cluster: TestCluster, { name, url, rule }: ForeignWebhook): Promise<void> {
  const webhook = {
    ...{ name, clientConfig: { url }, rules: [{ apiVersions: ['v1'], ...rule }] },
    ...{ failurePolicy: 'Ignore', sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 5 },
  };
  await cluster.client().request('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    body: {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
      ...{ metadata: { name }, webhooks: [webhook] },
    },
  });
}
