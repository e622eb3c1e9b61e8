import { hostPattern, httpUrl, kubernetesName, labelSelector, namespaceName, network, secretPlace } from './format.ts';
import { operatorName, systemNamespaces, workSlots } from '@ordinal/constructs';
import { kinds } from '@ordinal/reconcilers';
import { choice, duration, list, text, toggle, wholeNumber } from './option.ts';
import type { Settings } from './option.ts';

const minute = 60_000;

const kindNames = kinds.map(({ descriptor }) => descriptor.kind);

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
    defaultText: 'all namespaces',
  }),
  reservedNamespaces: list({
    name: 'reserved-namespaces',
    description: 'Keep no resources in these namespaces, nor in the pod’s own, unless --namespaces names them.',
    format: namespaceName,
    default: systemNamespaces,
  }),
  kinds: list({ name: 'kinds', description: 'Keep these kinds only.', words: kindNames, default: kindNames }),
  concurrency: wholeNumber({
    name: 'concurrency',
    description: 'How many resources of a kind are worked on at a time.',
    default: 10,
    min: 1,
    max: 200,
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
    default: true,
  }),
  shareWork: toggle({
    name: 'share-work',
    description: `Have all replicas work, each on a part of the resources: they share them in ${workSlots} slots, each with a lease of its own.`,
    default: false,
  }),
  leaseName: text({
    name: 'lease-name',
    placeholder: 'NAME',
    description: 'The name of the lease. Shards need different ones.',
    format: kubernetesName,
    defaultText: 'the installation’s name',
  }),
  leaseDuration: duration({
    name: 'lease-duration',
    description: 'How long a lease that is not renewed still holds.',
    default: 15_000,
    min: 3_000,
    max: 10 * minute,
  }),
  renewDeadline: duration({
    name: 'renew-deadline',
    description: 'How long a leader that can’t renew goes on.',
    default: 10_000,
    min: 2_000,
    max: 9 * minute,
  }),
  retryPeriod: duration({
    name: 'retry-period',
    description: 'How often the lease is renewed or tried for.',
    default: 2_000,
    min: 500,
    max: 5 * minute,
  }),
  metricsPort: wholeNumber({
    name: 'metrics-port',
    description: 'Where /metrics is served; 0 for nowhere.',
    default: 8080,
    min: 0,
    max: 65535,
  }),
  healthPort: wholeNumber({
    name: 'health-port',
    description: 'Where /healthz and /readyz are served; 0 for nowhere.',
    default: 8081,
    min: 0,
    max: 65535,
  }),
  webhooks: toggle({
    name: 'webhooks',
    description: 'Serve the admission webhooks. Needs a Service in front, as the install manifest has it.',
    default: true,
  }),
  webhookPort: wholeNumber({
    name: 'webhook-port',
    description: 'Where webhooks are served.',
    default: 9443,
    min: 1,
    max: 65535,
  }),
  webhookShutdownDelay: duration({
    name: 'webhook-shutdown-delay',
    description:
      'How long webhooks are served on after SIGTERM, while the lease is released already: nodes take a while to send no more requests here.',
    default: 0,
    min: 0,
    max: 5 * minute,
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
    defaultText: 'any that the authorities have signed',
  }),
  monitorSettle: duration({
    name: 'monitor-settle',
    description:
      'How long after a registration a monitoring service may still deny it. A shorter time than the truth can leave an entry behind.',
    default: 10_000,
    min: 0,
    max: 10 * minute,
  }),
  allowedHosts: list({
    name: 'allowed-hosts',
    description: 'Monitors and providers may be called at these hosts only, exact or like *.example.com.',
    format: hostPattern,
    defaultText: 'any host whose addresses are allowed',
  }),
  allowedNetworks: list({
    name: 'allowed-networks',
    description:
      'Networks that may be called although they are loopback, link-local or otherwise refused, such as 127.0.0.0/8.',
    format: network,
    defaultText: 'none',
  }),
  providerSecret: text({
    name: 'provider-secret',
    placeholder: 'NAMESPACE/NAME',
    format: secretPlace,
    description: 'The Secret of the provider account for CloudDatabases that name none.',
  }),
  providerRate: wholeNumber({
    name: 'provider-rate',
    description: 'How many calls a second each provider account gets at most, from all replicas together.',
    default: 10,
    min: 1,
    max: 1000,
  }),
  logLevel: choice({
    name: 'log-level',
    description: 'How much is logged.',
    words: ['debug', 'info', 'warn', 'error'],
    default: 'info',
  }),
  logFormat: choice({
    name: 'log-format',
    description: 'How it is logged: a JSON object or a readable line for each event.',
    words: ['json', 'text'],
    default: 'json',
  }),
  drainTimeout: duration({
    name: 'drain-timeout',
    description: 'How long work that is under way may go on after SIGTERM.',
    default: 20_000,
    min: 0,
    max: 5 * minute,
  }),
  record: text({
    name: 'record',
    placeholder: 'PATH',
    description:
      'Record each reconcile: what was observed, decided and done. A file, or a folder (which ends with a slash) for files of each replica.',
    defaultText: 'nothing is recorded',
  }),
  recordBytes: wholeNumber({
    name: 'record-bytes',
    description: 'How many bytes of recordings are kept; the oldest go.',
    default: 67_108_864,
    min: 1_048_576,
    max: 68_719_476_736,
  }),
  recordKey: text({
    name: 'record-key',
    placeholder: 'PATH',
    description:
      'A file with a key of 32 bytes or more, with which values that may be secrets are encrypted in recordings, so that its owner can replay them.',
    defaultText: 'such values are left out',
  }),
  otlpEndpoint: text({
    name: 'otlp-endpoint',
    commonVariable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    placeholder: 'URL',
    format: httpUrl,
    description:
      'Send a trace of each reconcile to the OpenTelemetry collector at this URL, by OTLP/HTTP, such as http://collector.monitoring:4318.',
    defaultText: 'no traces are sent',
  }),
  dryRun: toggle({
    name: 'dry-run',
    description:
      'Decide, log and record, and write nothing: no lease, no event, no webhook. Runs beside another operator, such as of an earlier version.',
    default: false,
  }),
  installation: text({
    name: 'installation',
    placeholder: 'NAME',
    description:
      'What the installation is called: its service account, and its webhooks’ configuration, Service and Secret.',
    format: kubernetesName,
    default: operatorName,
  }),
  podName: text({
    name: 'pod-name',
    placeholder: 'NAME',
    description: 'This process among its replicas.',
    defaultText: 'the host’s name and the process’s id',
  }),
  podNamespace: text({
    name: 'pod-namespace',
    placeholder: 'NAME',
    description: 'Where the lease and the webhooks’ certificate are kept.',
    format: namespaceName,
    defaultText: 'the service account’s namespace, or the context’s',
  }),
  config: text({
    name: 'config',
    placeholder: 'PATH',
    description: 'A YAML file of settings, by the flags’ names in camelCase.',
  }),
} as const;

/** The settings of one run. */
export type OperatorSettings = Settings<typeof options>;
