import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { operatorLabels, ports, type Installation } from './options.ts';
import { webhookNames } from './webhooks.ts';

/** The Services in front of the operator: one for its webhooks, one for its metrics. */
export function exposeOperator(
  scope: Construct,
  installation: Installation,
  options: { readonly webhooks: boolean },
): void {
  const labels = operatorLabels(installation);
  const { namespace } = installation;
  const service = (
    id: string,
    name: string,
    port: { readonly name: keyof typeof ports; readonly port: number },
  ): void => {
    new ApiObject(scope, id, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace, labels },
      spec: { selector: labels, ports: [{ ...port, targetPort: port.name, protocol: 'TCP' }] },
    });
  };
  if (options.webhooks)
    service('webhook-service', webhookNames(installation.name).service, { name: 'webhooks', port: 443 });
  service('metrics-service', `${installation.name}-metrics`, { name: 'metrics', port: ports.metrics });
}

/**
 * Lets in what the operator serves and nothing else. The API server and the kubelet come from addresses that a policy can't name, so the webhook and
 * health ports stay open to all; metrics are for namespaces labelled `ordinal.dev/metrics: enabled`. What goes out stays free: monitors, providers
 * and pods are wherever their resources say.
 */
export function restrictNetwork(scope: Construct, { name, namespace }: Installation): void {
  new ApiObject(scope, 'network-policy', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace },
    spec: {
      podSelector: { matchLabels: operatorLabels({ name }) },
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
