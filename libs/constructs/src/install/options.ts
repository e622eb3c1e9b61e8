/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** What the operator may do, by where it may do it. */
export interface Permissions {
  /** In every namespace that it watches. */
  readonly watched: readonly PolicyRule[];
  /** On cluster-scoped kinds. */
  readonly cluster: readonly PolicyRule[];
  /** In its own namespace: leases, its certificates, events. */
  readonly own: readonly PolicyRule[];
}

/** CPU and memory, as Kubernetes quantities. */
export interface Quantities {
  readonly cpu?: string;
  readonly memory?: string;
}

/** A level of the Pod Security Standards. */
export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** How the operator is installed. Every option has a default that is safe on a cluster one knows nothing of. */
export interface OperatorInstallOptions {
  /**
   * What the installation is called, and with it nearly all of its parts; `ordinal-operator` by default. At most 40 characters. Each installation in a cluster
   * needs a name of its own, whatever namespace it is in: some of its parts belong to no namespace.
   */
  readonly name?: string;
  /** The operator's own namespace; `ordinal-system` by default. */
  readonly namespace?: string;
  /** Whether the namespace is made too. True by default. */
  readonly createNamespace?: boolean;
  /** The image, with its tag or digest. The one of this package's version by default. */
  readonly image?: string;
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  readonly imagePullSecrets?: readonly string[];
  /** How many pods; one leads and the others stand by. Two by default. */
  readonly replicas?: number;
  /** Watch these namespaces only: permissions are then given by Roles in them. All namespaces by default. */
  readonly watchNamespaces?: readonly string[];
  /**
   * Where the operator keeps out, beside its own namespace: it refuses resources of its kinds there, and an admission policy refuses what its account would
   * write. `kube-system`, `kube-public` and `kube-node-lease` by default. A namespace that `watchNamespaces` names is watched all the same.
   */
  readonly reservedNamespaces?: readonly string[];
  /**
   * The level of the Pod Security Standards that the StatefulSets and Jobs of the operator are held to by an admission policy, beside what their namespaces ask.
   * `baseline` by default; `privileged` holds them to nothing.
   */
  readonly podSecurity?: PodSecurityLevel;
  /**
   * The name of the lease that the leader holds; the installation's by default. Operators that keep different shards need different ones. The permission is
   * given for this name only.
   */
  readonly leaseName?: string;
  /**
   * Keep only the resources that this label selector matches, such as `team=blue`. All by default. The webhooks are asked about the resources of all shards:
   * each judges every spec, and holds back the members of the caches that it keeps.
   */
  readonly shard?: string;
  /** What the operator may do. Derived from what its controllers declare, by default. */
  readonly permissions?: Permissions;
  /** Further flags of the program, such as `--log-level=debug`. */
  readonly flags?: readonly string[];
  readonly requests?: Quantities;
  readonly limits?: Quantities;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Readonly<Record<string, string | number>>[];
  readonly priorityClassName?: string;
  /**
   * Whether the API server asks the operator about changes of its kinds and about pod deletions and evictions, in the namespaces that it watches. True by
   * default.
   */
  readonly webhooks?: boolean;
  /**
   * A ConfigMap in the operator's namespace whose `ca.crt` holds the authorities of API servers' client certificates, and the common names that these may have. With it the
   * webhooks answer no other client; the API servers have to be configured to present one. By default everyone who reaches the port may ask.
   */
  readonly webhookClients?: { readonly configMap: string; readonly names: readonly string[] };
  /** Whether only the API server, the kubelet and scrapers reach the operator's ports. True by default. */
  readonly networkPolicy?: boolean;
  /** Whether to add a ServiceMonitor and alerts, which need the Prometheus operator's CRDs. False by default. */
  readonly monitoring?: boolean;
  /** Whether the CRDs and their protection are part of the chart. True by default. Of several installations in a cluster, one has them. */
  readonly crds?: boolean;
}

/** The ports that the program listens on in its pod. */
export const ports = { metrics: 8080, health: 8081, webhooks: 9443 } as const;

/** What an installation is called by default. */
export const operatorName = 'ordinal-operator';

/** An installation among others of the cluster. */
export interface Installation {
  readonly name: string;
  /** The operator's own namespace. */
  readonly namespace: string;
}

/** The labels that select the operator's pods. */
export function operatorLabels({ name }: Pick<Installation, 'name'>): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'ordinal' };
}
