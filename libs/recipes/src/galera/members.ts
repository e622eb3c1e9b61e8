import { memberPodOf, taskPodOf } from '../stores.ts';
import type { StorePods } from '../stores.ts';
import type { GaleraStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

/** The port for clients. At the next one each member says to the others what it is. */
export const port = 3306;

const authFolder = '/auth';

/** The environment by which the scripts reach the members, at Galera's own ports. */
const environment: readonly object[] = Object.entries({
  PORT: String(port),
  STATE_PORT: String(port + 1),
  GROUP_PORT: '4567',
  IST_PORT: '4568',
  SST_PORT: '4444',
  AUTH: authFolder,
}).map(([name, value]) => ({ name, value }));

const podsOf = ({ name, auth, shellImage }: GaleraStoreOptions): StorePods => ({
  // The user of the official image, by number.
  ...{ name, scripts, userId: 999, shellImage, environment },
  secrets: [{ name: 'auth', secretName: auth.secretName, mountPath: authFolder }],
});

/** What is merged over the members' pod. Its grace period is for a server that writes back what it has changed. */
export function memberPod(options: GaleraStoreOptions): object {
  const { settings = {}, resources, cache = '128M' } = options;
  return memberPodOf(podsOf(options), {
    parameters: Object.entries(settings).map(([setting, value]) => `${setting}=${value}`),
    environment: [{ name: 'GCACHE', value: cache }],
    resources,
    terminationGracePeriodSeconds: 120,
  });
}

/** What is merged over the pod of each Job. */
export const taskPod = (options: GaleraStoreOptions): object => taskPodOf(podsOf(options), options.backup?.claimName);

/** How members are replaced: one goes only when all others are in step. All are equal, so none hands over. */
export const memberUpgrade = {
  gates: [{ name: 'quorum', target: 'Self' as const, exec: { command: scripts.command('quorum.sh') }, timeout: '60s' }],
  sync: { exec: { command: scripts.command('in-step.sh') }, timeout: '20s' },
};
