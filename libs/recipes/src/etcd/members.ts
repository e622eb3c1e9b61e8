import { fromPod, isolated, podSecurityOf, spreadOverNodes } from '../pods.ts';
import type { EtcdStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';
import { installTools, toolsFolder, toolsMount, toolsVolume } from '../tools.ts';

/** The port for clients. That among members is the next one. */
export const port = 2379;

const tlsFolder = '/tls';
const userId = 65_532;

const podSecurity = podSecurityOf(userId);

/** The environment by which the scripts reach the members, in a member and in a Job alike. */
const environment = ({ tls }: EtcdStoreOptions): object[] => [
  { name: 'PATH', value: `${toolsFolder}:/usr/local/bin:/usr/bin:/bin` },
  { name: 'PORT', value: String(port) },
  { name: 'PEER_PORT', value: String(port + 1) },
  ...(tls ? [{ name: 'TLS', value: tlsFolder }] : []),
  ...(tls?.clientCertificates ? [{ name: 'CLIENT_CERTIFICATES', value: 'yes' }] : []),
];

const mounts = ({ tls }: EtcdStoreOptions): object[] => [
  scripts.mount,
  toolsMount,
  ...(tls ? [{ name: 'tls', mountPath: tlsFolder, readOnly: true }] : []),
];

/** What every pod has: the scripts, a shell to run them, and the certificate. */
function pod(options: EtcdStoreOptions): { initContainers: object[]; volumes: object[]; securityContext: object } {
  const { name, tls, shellImage } = options;
  return {
    securityContext: podSecurity,
    initContainers: [installTools(shellImage)],
    volumes: [
      scripts.volume(name),
      toolsVolume,
      ...(tls ? [{ name: 'tls', secret: { secretName: tls.secretName } }] : []),
    ],
  };
}

/** What is merged over the members' pod. */
export function memberPod(options: EtcdStoreOptions): object {
  const { name, settings = {}, resources } = options;
  return {
    spec: {
      ...pod(options),
      enableServiceLinks: false,
      topologySpreadConstraints: spreadOverNodes(name),
      containers: [
        {
          name: 'kvstore',
          command: [
            ...scripts.command('start.sh'),
            ...Object.entries(settings).map(([flag, value]) => `--${flag}=${value}`),
          ],
          env: [
            ...environment(options),
            fromPod('POD_IP', 'status.podIP'),
            fromPod('POD_NAMESPACE', 'metadata.namespace'),
            { name: 'DATA', value: '/data' },
          ],
          volumeMounts: mounts(options),
          readinessProbe: { exec: { command: scripts.command('ready.sh') }, periodSeconds: 2, timeoutSeconds: 10 },
          securityContext: isolated,
          ...(resources ? { resources } : {}),
        },
      ],
    },
  };
}

/** What is merged over the pod of each Job. Backups are in a claim. */
export function taskPod(options: EtcdStoreOptions): object {
  const { initContainers, volumes, securityContext } = pod(options);
  const { backup } = options;
  const mount = { name: 'backups', mountPath: '/backups' };
  const volume = { name: 'backups', persistentVolumeClaim: { claimName: backup?.claimName } };
  return {
    spec: {
      securityContext,
      initContainers,
      containers: [
        {
          name: 'task',
          env: environment(options),
          volumeMounts: [...mounts(options), ...(backup ? [mount] : [])],
          securityContext: isolated,
        },
      ],
      volumes: [...volumes, ...(backup ? [volume] : [])],
    },
  };
}

/** How members are replaced: a leader hands over, and a member goes only when the others can do without it. */
export function memberUpgrade() {
  return {
    role: { exec: { command: scripts.command('role.sh') }, timeout: '20s' },
    handoff: { exec: { command: scripts.command('handoff.sh') }, timeout: '20s' },
    gates: [
      { name: 'quorum', target: 'Self' as const, exec: { command: scripts.command('quorum.sh') }, timeout: '30s' },
    ],
    sync: { exec: { command: scripts.command('in-step.sh') }, timeout: '20s' },
  };
}
