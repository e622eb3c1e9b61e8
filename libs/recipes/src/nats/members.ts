import { fromPod, isolated, podSecurityOf, spreadOverNodes } from '../pods.ts';
import { installTools, toolsFolder, toolsMount, toolsVolume } from '../tools.ts';
import type { NatsStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

/** The port for clients. */
export const port = 4222;

const authFolder = '/auth';
const userId = 65_532;

/** The environment by which the scripts reach the members, in a member and in a Job alike. The program of NATS' own image is in `/`. */
const environment: readonly object[] = Object.entries({
  PATH: `${toolsFolder}:/usr/local/bin:/usr/sbin:/usr/bin:/bin:/`,
  PORT: String(port),
  PEER_PORT: '6222',
  MONITOR_PORT: '8222',
  STATE_PORT: '8223',
  AUTH: authFolder,
}).map(([name, value]) => ({ name, value }));

const mounts = [scripts.mount, toolsMount, { name: 'auth', mountPath: authFolder, readOnly: true }];

/** What every pod has: the scripts, a shell to run them, and who may connect. */
const pod = ({ name, auth, shellImage }: NatsStoreOptions) => ({
  securityContext: podSecurityOf(userId),
  initContainers: [installTools(shellImage)],
  volumes: [scripts.volume(name), toolsVolume, { name: 'auth', secret: { secretName: auth.secretName } }],
});

/** What is merged over the members' pod. */
export function memberPod(options: NatsStoreOptions): object {
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
            ...Object.entries(settings).map(([setting, value]) => `--${setting}=${value}`),
          ],
          env: [
            ...environment,
            fromPod('POD_IP', 'status.podIP'),
            fromPod('POD_NAMESPACE', 'metadata.namespace'),
            { name: 'DATA', value: '/data' },
          ],
          volumeMounts: mounts,
          readinessProbe: { exec: { command: scripts.command('ready.sh') }, periodSeconds: 2, timeoutSeconds: 10 },
          securityContext: isolated,
          ...(resources ? { resources } : {}),
        },
      ],
    },
  };
}

/** What is merged over the pod of each Job. */
export function taskPod(options: NatsStoreOptions): object {
  const container = { name: 'task', env: environment, volumeMounts: mounts, securityContext: isolated };
  return { spec: { ...pod(options), containers: [container] } };
}

/** How members are replaced: the one that leads the cluster hands over, and a member goes only when the others can do without it. */
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
