import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { operatorLabels, operatorName, ports } from './options.ts';

/** The Services in front of the operator: one for its webhooks, one for its metrics. */
export function exposeOperator(scope: Construct, namespace: string, options: { readonly webhooks: boolean }): void {
  const service = (
    id: string,
    name: string,
    port: { readonly name: keyof typeof ports; readonly port: number },
  ): void => {
    new ApiObject(scope, id, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace, labels: operatorLabels },
      spec: { selector: operatorLabels, ports: [{ ...port, targetPort: port.name, protocol: 'TCP' }] },
    });
  };
  if (options.webhooks) service('webhook-service', `${operatorName}-webhooks`, { name: 'webhooks', port: 443 });
  service('metrics-service', `${operatorName}-metrics`, { name: 'metrics', port: ports.metrics });
}

/**
 * Lets in what the operator serves and nothing else. The API server and the kubelet come from addresses that a policy can't name, so the webhook and
 * health ports stay open to all; metrics are for namespaces labelled `ordinal.dev/metrics: enabled`. What goes out stays free: monitors, providers
 * and pods are wherever their resources say.
 */
export function restrictNetwork(scope: Construct, namespace: string): void {
  new ApiObject(scope, 'network-policy', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: operatorName, namespace },
    spec: {
      podSelector: { matchLabels: operatorLabels },
      policyTypes: ['Ingress'],
      ingress: [
        { ports: [{ port: 'webhooks' }, { port: 'health' }] },
        {
          ports: [{ port: 'metrics' }],
          from: [{ namespaceSelector: { matchLabels: { 'ordinal.dev/metrics': 'enabled' } } }],
        },
      ],
    },
  });
}
