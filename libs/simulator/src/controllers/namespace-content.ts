import type { ConfigMap, Namespace, ServiceAccount } from 'kubernetes-types/core/v1.js';
import type { ControllerDefinition } from './controller.ts';
import { itself } from './controller.ts';
import { kinds } from './kinds.ts';
import { isTerminating } from './owner.ts';
import { sameEntries } from './selector.ts';
import type { Store } from './store.ts';

/** Gives each namespace the service account and the certificate that pods expect there. */
export const namespaceContentController: ControllerDefinition = {
  name: 'service-account-controller',
  watches: [
    { kind: kinds.namespace, keys: itself },
    { kind: kinds.serviceAccount, keys: ({ object }) => [{ namespace: '', name: object.metadata.namespace ?? '' }] },
    {
      kind: kinds.configMap,
      keys: ({ object }) =>
        object.metadata.name === rootCertificates ? [{ namespace: '', name: object.metadata.namespace ?? '' }] : [],
    },
  ],
  reconcile: ({ name }, { store }) => {
    const namespace = store.find<Namespace>(kinds.namespace, '', name);
    if (namespace === undefined || isTerminating(namespace)) return undefined;
    if (store.find<ServiceAccount>(kinds.serviceAccount, name, 'default') === undefined) {
      store.create<ServiceAccount>(kinds.serviceAccount, { metadata: { name: 'default', namespace: name } });
    }
    publishCertificates(name, store);
    return undefined;
  },
};

const rootCertificates = 'kube-root-ca.crt';
const certificates: Record<string, string> = { 'ca.crt': 'simulated' };

const descriptionAnnotation = 'kubernetes.io/description';
const certificatesDescription =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or ' +
  'kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** A change of the certificates' ConfigMap is undone. */
function publishCertificates(namespace: string, store: Store): void {
  const existing = store.find<ConfigMap>(kinds.configMap, namespace, rootCertificates);
  const annotations = { ...existing?.metadata.annotations, [descriptionAnnotation]: certificatesDescription };
  if (existing === undefined) {
    const metadata = { name: rootCertificates, namespace, annotations };
    store.create<ConfigMap>(kinds.configMap, { metadata, data: certificates });
    return;
  }
  const isDescribed = (existing.metadata.annotations?.[descriptionAnnotation] ?? '') !== '';
  if (isDescribed && sameEntries(existing.data, certificates)) return;
  const metadata = { ...existing.metadata, annotations };
  store.update<ConfigMap>(kinds.configMap, { ...existing, data: certificates, metadata });
}
