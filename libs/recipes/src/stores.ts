import { fromPod, isolated, podSecurityOf, spreadOverNodes } from './pods.ts';
import type { Scripts } from './scripts.ts';
import { installTools, toolsMount, toolsVolume } from './tools.ts';

/** A Secret that is mounted into every container of a store. */
interface MountedSecret {
  readonly name: string;
  readonly secretName: string;
  readonly mountPath: string;
  readonly defaultMode?: number;
}

/** What the members of a store and its Jobs have in common. */
export interface StorePods {
  readonly name: string;
  readonly scripts: Scripts<'start.sh' | 'ready.sh'>;
  readonly userId: number;
  /** The image with the shell that runs the scripts. */
  readonly shellImage: string | undefined;
  /** By which the scripts reach the members. */
  readonly environment: readonly object[];
  readonly secrets: readonly MountedSecret[];
}

/** What a store's members have beside. */
interface StoreMember {
  /** What `start.sh` is called with. */
  readonly parameters: readonly string[];
  readonly environment?: readonly object[];
  readonly resources: object | undefined;
  /** The claim with the backups, where members write to it. */
  readonly claimName?: string | undefined;
  readonly terminationGracePeriodSeconds?: number;
}

/** What is merged over the members' pod of a KVStoreCluster: `start.sh` runs the member, whose data is in `/data`, and `ready.sh` says whether it serves. */
export function memberPodOf(pods: StorePods, member: StoreMember): object {
  const { name, scripts } = pods;
  const { parameters, environment = [], resources, claimName, ...rest } = member;
  return {
    spec: {
      ...podOf(pods, claimName),
      ...rest,
      enableServiceLinks: false,
      topologySpreadConstraints: spreadOverNodes(name),
      containers: [
        {
          name: 'kvstore',
          command: [...scripts.command('start.sh'), ...parameters],
          env: [
            ...pods.environment,
            fromPod('POD_IP', 'status.podIP'),
            fromPod('POD_NAMESPACE', 'metadata.namespace'),
            { name: 'DATA', value: '/data' },
            ...environment,
          ],
          volumeMounts: mountsOf(pods, claimName),
          readinessProbe: { exec: { command: scripts.command('ready.sh') }, periodSeconds: 2, timeoutSeconds: 10 },
          securityContext: isolated,
          ...(resources ? { resources } : {}),
        },
      ],
    },
  };
}

/** What is merged over the pod of each Job. Backups are in a claim. */
export function taskPodOf(pods: StorePods, claimName?: string): object {
  const { environment: env } = pods;
  const container = { name: 'task', env, volumeMounts: mountsOf(pods, claimName), securityContext: isolated };
  return { spec: { ...podOf(pods, claimName), containers: [container] } };
}

const podOf = ({ name, scripts, userId, shellImage, secrets }: StorePods, claimName: string | undefined): object => ({
  securityContext: podSecurityOf(userId),
  initContainers: [installTools(shellImage)],
  volumes: [
    scripts.volume(name),
    toolsVolume,
    ...secrets.map(({ name: volume, mountPath: _, ...secret }) => ({ name: volume, secret })),
    ...(claimName === undefined ? [] : [{ name: 'backups', persistentVolumeClaim: { claimName } }]),
  ],
});

const mountsOf = ({ scripts, secrets }: StorePods, claimName: string | undefined): readonly object[] => [
  scripts.mount,
  toolsMount,
  ...secrets.map(({ name, mountPath }) => ({ name, mountPath, readOnly: true })),
  ...(claimName === undefined ? [] : [{ name: 'backups', mountPath: '/backups' }]),
];

/** How members are replaced whose software needs a majority: the one that leads hands over, and a member goes only when the others can do without it. */
export const upgradeByQuorum = (scripts: Scripts<'role.sh' | 'handoff.sh' | 'quorum.sh' | 'in-step.sh'>) => ({
  role: { exec: { command: scripts.command('role.sh') }, timeout: '20s' },
  handoff: { exec: { command: scripts.command('handoff.sh') }, timeout: '20s' },
  gates: [{ name: 'quorum', target: 'Self' as const, exec: { command: scripts.command('quorum.sh') }, timeout: '30s' }],
  sync: { exec: { command: scripts.command('in-step.sh') }, timeout: '20s' },
});
