import { memberPodOf, taskPodOf } from '../stores.ts';
import type { StorePods } from '../stores.ts';
import type { RabbitmqStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

/** The port for clients. */
export const port = 5672;

const authFolder = '/auth';

/** The environment by which the scripts reach the members, at the ports that the software has for that. */
const environment: readonly object[] = Object.entries({
  PORT: String(port),
  DIST_PORT: '25672',
  STATE_PORT: '25673',
  AUTH: authFolder,
}).map(([name, value]) => ({ name, value }));

const podsOf = ({ name, auth, shellImage }: RabbitmqStoreOptions): StorePods => ({
  // The user of the official image, by number.
  ...{ name, scripts, userId: 999, shellImage, environment },
  secrets: [{ name: 'auth', secretName: auth.secretName, mountPath: authFolder }],
});

/** What is merged over the members' pod. */
export function memberPod(options: RabbitmqStoreOptions): object {
  const { settings = {}, plugins = [], resources } = options;
  return memberPodOf(podsOf(options), {
    parameters: Object.entries(settings).map(([setting, value]) => `${setting}=${value}`),
    environment: [
      { name: 'PLUGINS', value: plugins.join(',') },
      // Without a limit, what the node has.
      { name: 'MEMORY', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } },
    ],
    resources,
    // Others have to lead what a member led, and its own data to be written.
    terminationGracePeriodSeconds: 120,
  });
}

/** What is merged over the pod of each Job. */
export const taskPod = (options: RabbitmqStoreOptions): object => taskPodOf(podsOf(options));

/** How members are replaced: the one that leads the metadata store last, and each only when the others can do without it. A server that ends hands over by itself. */
export const memberUpgrade = () => ({
  beforeFirstPod: { command: scripts.command('features.sh') },
  role: { exec: { command: scripts.command('role.sh') }, timeout: '20s' },
  gates: [{ name: 'quorum', target: 'Self' as const, exec: { command: scripts.command('quorum.sh') }, timeout: '45s' }],
  sync: { exec: { command: scripts.command('in-step.sh') }, timeout: '30s' },
});
