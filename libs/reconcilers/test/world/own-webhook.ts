import { App } from 'cdk8s';
import { OperatorInstall, operatorName, webhookNames } from '@ordinal/constructs';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';
import { readReview, reviewReply } from '@ordinal/runtime/webhooks';
import type { TestCluster } from '@ordinal/simulator';

const address = `https://${webhookNames(operatorName).service}.ordinal-system.svc`;

/**
 * From now on the webhook on our kinds judges what is written, registered word for word as the installation does it. Specs that came in before it, and that it would
 * not have let in, are there already.
 */
export async function judgeSpecs(cluster: TestCluster, judge: (request: AdmissionRequest) => Verdict): Promise<void> {
  await answer(cluster, 'validate.ordinal.dev', judge);
}

/** From now on the webhook on the deletion of namespaces is asked, registered likewise. */
export async function judgeNamespaces(
  cluster: TestCluster,
  judge: (request: AdmissionRequest) => Promise<Verdict>,
): Promise<void> {
  await answer(cluster, 'namespaces.ordinal.dev', judge);
}

async function answer(
  cluster: TestCluster,
  webhook: string,
  judge: (request: AdmissionRequest) => Verdict | Promise<Verdict>,
): Promise<void> {
  const manifests = new OperatorInstall(new App(), 'install', { crds: false }).toJson() as {
    readonly kind: string;
    readonly webhooks?: readonly { readonly name: string }[];
  }[];
  const configuration = manifests.find(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  const webhooks = configuration?.webhooks?.filter(({ name }) => name === webhook);
  cluster.external(address, async ({ body }) => {
    const request = readReview(body);
    return { status: 200, body: JSON.stringify(reviewReply(request.uid, await judge(request))) };
  });
  await cluster.client().request('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    body: { ...configuration, webhooks },
  });
}
