import { hostPattern, kubernetesName, labelSelector, namespaceName, network, secretPlace } from './format.ts';
import { operatorName, systemNamespaces } from '@ordinal/constructs';
import { choice, duration, list, text, toggle, wholeNumber } from './option.ts';
import type { Settings } from './option.ts';

/** The kinds that the operator keeps. */
export const kinds = ['ClusteredCache', 'KVStoreCluster', 'MonitoredStatefulSet', 'CloudDatabase'] as const;

/** One of them. */
export type Kind = (typeof kinds)[number];

const minute = 60_000;

/** Every setting of the program, with its default. */
export const options = {
  kubeconfig: text({
    name: 'kubeconfig',
    placeholder: 'PATH',
    description:
      'The kubeconfig to connect with. Without one: the service account of the pod, or else KUBECONFIG and ~/.kube/config.',
  }),
  context: text({
    name: 'context',
    placeholder: 'NAME',
    description: 'The context of the kubeconfig, instead of its current one.',
  }),
  namespaces: list({
    name: 'namespaces',
    description: 'Keep resources in these namespaces only.',
    format: namespaceName,
    fallbackText: 'all namespaces',
  }),
  reservedNamespaces: list({
    name: 'reserved-namespaces',
    description: 'Keep no resources in these namespaces, nor in the pod’s own, unless --namespaces names them.',
    format: namespaceName,
    fallback: systemNamespaces,
  }),
  kinds: list({ name: 'kinds', description: 'Keep these kinds only.', words: kinds, fallback: kinds }),
  concurrency: wholeNumber({
    name: 'concurrency',
    description: 'How many resources of a kind are worked on at a time.',
    fallback: 10,
    least: 1,
    most: 200,
  }),
  shard: text({
    name: 'shard',
    placeholder: 'SELECTOR',
    format: labelSelector,
    description:
      'Keep only the resources that this label selector matches; another operator, with a lease of its own, keeps the others.',
  }),
  leaderElect: toggle({
    name: 'leader-elect',
    description: 'Work only while holding the lease, so that several replicas can stand by.',
    fallback: true,
  }),
  leaseName: text({
    name: 'lease-name',
    placeholder: 'NAME',
    description: 'The name of the lease. Shards need different ones.',
    format: kubernetesName,
    fallbackText: 'the installation’s name',
  }),
  leaseDuration: duration({
    name: 'lease-duration',
    description: 'How long a lease that is not renewed still holds.',
    fallback: 15_000,
    least: 3_000,
    most: 10 * minute,
  }),
  renewDeadline: duration({
    name: 'renew-deadline',
    description: 'How long a leader that can’t renew goes on.',
    fallback: 10_000,
    least: 2_000,
    most: 9 * minute,
  }),
  retryPeriod: duration({
    name: 'retry-period',
    description: 'How often the lease is renewed or tried for.',
    fallback: 2_000,
    least: 500,
    most: 5 * minute,
  }),
  metricsPort: wholeNumber({
    name: 'metrics-port',
    description: 'Where /metrics is served; 0 for nowhere.',
    fallback: 8080,
    least: 0,
    most: 65535,
  }),
  healthPort: wholeNumber({
    name: 'health-port',
    description: 'Where /healthz and /readyz are served; 0 for nowhere.',
    fallback: 8081,
    least: 0,
    most: 65535,
  }),
  webhooks: toggle({
    name: 'webhooks',
    description: 'Serve the admission webhooks. Needs a Service in front, as the install manifest has it.',
    fallback: true,
  }),
  webhookPort: wholeNumber({
    name: 'webhook-port',
    description: 'Where webhooks are served.',
    fallback: 9443,
    least: 1,
    most: 65535,
  }),
  webhookClientCa: text({
    name: 'webhook-client-ca',
    placeholder: 'PATH',
    description:
      'Authorities, in PEM: webhooks are answered only to clients with a certificate of theirs, which the API server has to be configured to present.',
  }),
  webhookClientNames: list({
    name: 'webhook-client-names',
    description: 'The common names that such a certificate may have.',
    fallbackText: 'any that the authorities have signed',
  }),
  allowedHosts: list({
    name: 'allowed-hosts',
    description: 'Monitors and providers may be called at these hosts only, exact or like *.example.com.',
    format: hostPattern,
    fallbackText: 'any host whose addresses are allowed',
  }),
  allowedNetworks: list({
    name: 'allowed-networks',
    description:
      'Networks that may be called although they are loopback, link-local or otherwise refused, such as 127.0.0.0/8.',
    format: network,
    fallbackText: 'none',
  }),
  providerSecret: text({
    name: 'provider-secret',
    placeholder: 'NAMESPACE/NAME',
    format: secretPlace,
    description: 'The Secret of the provider account for CloudDatabases that name none.',
  }),
  providerRate: wholeNumber({
    name: 'provider-rate',
    description: 'How many calls a second each provider account gets at most.',
    fallback: 10,
    least: 1,
    most: 1000,
  }),
  logLevel: choice({
    name: 'log-level',
    description: 'How much is logged.',
    words: ['debug', 'info', 'warn', 'error'],
    fallback: 'info',
  }),
  logFormat: choice({
    name: 'log-format',
    description: 'How it is logged: a JSON object or a readable line for each event.',
    words: ['json', 'text'],
    fallback: 'json',
  }),
  drainTimeout: duration({
    name: 'drain-timeout',
    description: 'How long work that is under way may go on after SIGTERM.',
    fallback: 20_000,
    least: 0,
    most: 5 * minute,
  }),
  installation: text({
    name: 'installation',
    placeholder: 'NAME',
    description:
      'What the installation is called: its service account, and its webhooks’ configuration, Service and Secret.',
    format: kubernetesName,
    fallback: operatorName,
  }),
  podName: text({
    name: 'pod-name',
    placeholder: 'NAME',
    description: 'This process among its replicas.',
    fallbackText: 'the host’s name and the process’s id',
  }),
  podNamespace: text({
    name: 'pod-namespace',
    placeholder: 'NAME',
    description: 'Where the lease and the webhooks’ certificate are kept.',
    format: namespaceName,
    fallbackText: 'the service account’s namespace, or the context’s',
  }),
  config: text({
    name: 'config',
    placeholder: 'PATH',
    description: 'A YAML file of settings, by the flags’ names in camelCase.',
  }),
} as const;

/** The settings of one run. */
export type OperatorSettings = Settings<typeof options>;
