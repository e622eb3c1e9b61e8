import { fromPod, isolated, podSecurityOf, spreadOverNodes } from '../pods.ts';
import type { RedisOptions } from './options.ts';
import { scripts } from './scripts.ts';

const tlsFolder = '/tls';
/** The user of the official images, by number: a start script of ours replaces theirs, which would change to it. */
const userId = 999;

/** The port of a member. */
export const portOf = ({ port = 6379 }: RedisOptions): number => port;

const podSecurity = podSecurityOf(userId);

/** The environment by which the scripts reach the members, in a member and in a Job alike. */
function environment(options: RedisOptions): object[] {
  const { software = 'Redis', auth, tls } = options;
  const password = auth && { name: auth.secretName, key: auth.passwordKey ?? 'password' };
  return [
    { name: 'STORE', value: software.toLowerCase() },
    { name: 'PORT', value: String(portOf(options)) },
    ...(password ? [{ name: 'REDISCLI_AUTH', valueFrom: { secretKeyRef: password } }] : []),
    ...(auth?.user === undefined ? [] : [{ name: 'STORE_USER', value: auth.user }]),
    ...(tls ? [{ name: 'TLS', value: tlsFolder }] : []),
  ];
}

const mounts = ({ tls }: RedisOptions): object[] => [
  scripts.mount,
  ...(tls ? [{ name: 'tls', mountPath: tlsFolder, readOnly: true }] : []),
];

const volumes = ({ name, tls }: RedisOptions): object[] => [
  scripts.volume(name),
  ...(tls ? [{ name: 'tls', secret: { secretName: tls.secretName } }] : []),
];

/** What is merged over the members' pod. With a folder for their data they keep it there. */
export function memberPod(options: RedisOptions, container: string, dataFolder?: string): object {
  const { name, settings = {}, resources } = options;
  return {
    spec: {
      securityContext: podSecurity,
      topologySpreadConstraints: spreadOverNodes(name),
      containers: [
        {
          name: container,
          command: [
            ...scripts.command('start.sh'),
            ...Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value]),
          ],
          env: [
            ...environment(options),
            fromPod('POD_IP', 'status.podIP'),
            ...(dataFolder === undefined ? [] : [{ name: 'DATA', value: dataFolder }]),
          ],
          volumeMounts: mounts(options),
          readinessProbe: { periodSeconds: 1 },
          securityContext: isolated,
          ...(resources ? { resources } : {}),
        },
      ],
      volumes: volumes(options),
    },
  };
}

/** What is merged over the pod of each Job, whose files are in a claim. */
export function taskPod(options: RedisOptions, claimName: string): object {
  return {
    spec: {
      securityContext: podSecurity,
      containers: [
        {
          name: 'task',
          env: environment(options),
          volumeMounts: [...mounts(options), { name: 'backups', mountPath: '/backups' }],
          securityContext: isolated,
        },
      ],
      volumes: [...volumes(options), { name: 'backups', persistentVolumeClaim: { claimName } }],
    },
  };
}

/** How members are replaced: a leader hands over, and no member goes while another one is behind. */
export function memberUpgrade() {
  const inStep = { exec: { command: scripts.command('in-step.sh') } };
  return {
    role: { exec: { command: scripts.command('role.sh') }, leaderValue: 'master' },
    handoff: { exec: { command: scripts.command('handoff.sh') }, timeout: '15s' },
    gates: [{ name: 'in-step', target: 'Peers' as const, ...inStep }],
    sync: inStep,
  };
}
