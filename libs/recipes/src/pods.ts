/** What a container may not do. */
export const isolated = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };

/** The security context of a pod that runs as this user and group, by number. Satisfies the Pod Security level `restricted`, with containers that are `isolated`. */
export const podSecurityOf = (userId: number): object => ({
  runAsNonRoot: true,
  runAsUser: userId,
  runAsGroup: userId,
  fsGroup: userId,
  seccompProfile: { type: 'RuntimeDefault' },
});

/** Members of a resource with this name are on different nodes, as far as there are enough. */
export const spreadOverNodes = (name: string): readonly object[] => [
  {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: { app: name } },
  },
];

/** A variable of the environment that a field of the pod fills. */
export const fromPod = (name: string, fieldPath: string): object => ({ name, valueFrom: { fieldRef: { fieldPath } } });
