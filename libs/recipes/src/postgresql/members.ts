import { fromPod, isolated, podSecurityOf, spreadOverNodes } from '../pods.ts';
import type { PostgresqlStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';
import { installTools, toolsMount, toolsVolume } from '../tools.ts';

/** The port for clients. At the next one each member says to the others what it is. */
export const port = 5432;

const tlsFolder = '/tls';
/** The user of the official image, by number. */
const userId = 999;

const podSecurity = podSecurityOf(userId);
const backupsMount = { name: 'backups', mountPath: '/backups' };

/** The environment by which the scripts reach the members, in a member and in a Job alike. */
function environment({ auth, tls }: PostgresqlStoreOptions): object[] {
  const { secretName, superuserKey = 'superuser-password', replicationKey = 'replication-password' } = auth;
  const secret = (name: string, key: string): object => ({
    name,
    valueFrom: { secretKeyRef: { name: secretName, key } },
  });
  return [
    { name: 'PORT', value: String(port) },
    { name: 'STATE_PORT', value: String(port + 1) },
    secret('SUPERUSER_PASSWORD', superuserKey),
    secret('REPLICATION_PASSWORD', replicationKey),
    ...(tls ? [{ name: 'TLS', value: tlsFolder }] : []),
  ];
}

const mounts = ({ tls }: PostgresqlStoreOptions): object[] => [
  scripts.mount,
  toolsMount,
  ...(tls ? [{ name: 'tls', mountPath: tlsFolder, readOnly: true }] : []),
];

/** What every pod has: the scripts, the programs to run them, the certificate, and the backups where it has to do with them. */
function pod(options: PostgresqlStoreOptions, claimName: string | undefined) {
  const { name, tls, shellImage } = options;
  return {
    securityContext: podSecurity,
    initContainers: [installTools(shellImage)],
    volumes: [
      scripts.volume(name),
      toolsVolume,
      // The server wants a key that no other user can read.
      ...(tls ? [{ name: 'tls', secret: { secretName: tls.secretName, defaultMode: 0o440 } }] : []),
      ...(claimName === undefined ? [] : [{ name: 'backups', persistentVolumeClaim: { claimName } }]),
    ],
  };
}

/** What is merged over the members' pod. */
export function memberPod(options: PostgresqlStoreOptions): object {
  const { name, settings = {}, resources, failoverSeconds = 10, backup } = options;
  const archives = backup?.archive === true;
  return {
    spec: {
      ...pod(options, archives ? backup?.claimName : undefined),
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 60,
      topologySpreadConstraints: spreadOverNodes(name),
      containers: [
        {
          name: 'kvstore',
          command: [
            ...scripts.command('start.sh'),
            ...Object.entries(settings).map(([setting, value]) => `${setting}=${value}`),
          ],
          env: [
            ...environment(options),
            fromPod('POD_IP', 'status.podIP'),
            fromPod('POD_NAMESPACE', 'metadata.namespace'),
            { name: 'DATA', value: '/data' },
            { name: 'FAILOVER', value: String(failoverSeconds) },
            ...(archives ? [{ name: 'ARCHIVE', value: 'yes' }] : []),
          ],
          volumeMounts: [...mounts(options), ...(archives ? [backupsMount] : [])],
          readinessProbe: { exec: { command: scripts.command('ready.sh') }, periodSeconds: 2, timeoutSeconds: 10 },
          securityContext: isolated,
          ...(resources ? { resources } : {}),
        },
      ],
    },
  };
}

/** What is merged over the pod of each Job. Backups are in a claim. */
export function taskPod(options: PostgresqlStoreOptions): object {
  const { backup } = options;
  const { initContainers, volumes, securityContext } = pod(options, backup?.claimName);
  return {
    spec: {
      securityContext,
      initContainers,
      containers: [
        {
          name: 'task',
          env: environment(options),
          volumeMounts: [...mounts(options), ...(backup ? [backupsMount] : [])],
          securityContext: isolated,
        },
      ],
      volumes,
    },
  };
}

/** How members are replaced: the one that leads hands over, and no member goes while another one is behind. */
export function memberUpgrade() {
  const inStep = { exec: { command: scripts.command('in-step.sh') }, timeout: '20s' };
  return {
    role: { exec: { command: scripts.command('role.sh') }, leaderValue: 'primary', timeout: '20s' },
    handoff: { exec: { command: scripts.command('handoff.sh') }, timeout: '30s' },
    gates: [{ name: 'in-step', target: 'Peers' as const, ...inStep }],
    sync: inStep,
  };
}
