import { isolated, podSecurityOf, spreadOverNodes } from '../pods.ts';
import type { EtcdStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

/** The port for clients. That among members is the next one. */
export const port = 2379;

const tlsFolder = '/tls';
const toolsFolder = '/tools';
const userId = 65_532;

const podSecurity = podSecurityOf(userId);
const toolsMount = { name: 'tools', mountPath: toolsFolder };

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
  const { name, tls, shellImage = 'docker.io/library/busybox:1.37-musl' } = options;
  const install = `cp /bin/busybox ${toolsFolder}/ && ${toolsFolder}/busybox --install -s ${toolsFolder}`;
  return {
    securityContext: podSecurity,
    initContainers: [
      {
        name: 'tools',
        image: shellImage,
        command: ['/bin/busybox', 'sh', '-c', install],
        volumeMounts: [toolsMount],
        securityContext: isolated,
      },
    ],
    volumes: [
      scripts.volume(name),
      { name: 'tools', emptyDir: {} },
      ...(tls ? [{ name: 'tls', secret: { secretName: tls.secretName } }] : []),
    ],
  };
}

const field = (name: string, fieldPath: string): object => ({ name, valueFrom: { fieldRef: { fieldPath } } });

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
            field('POD_IP', 'status.podIP'),
            field('POD_NAMESPACE', 'metadata.namespace'),
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
