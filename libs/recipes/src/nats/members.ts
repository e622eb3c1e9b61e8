import { memberPodOf, taskPodOf } from '../stores.ts';
import type { StorePods } from '../stores.ts';
import { toolsFolder } from '../tools.ts';
import type { NatsStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

/** The port for clients. */
export const port = 4222;

const authFolder = '/auth';

/** The environment by which the scripts reach the members. The program of NATS' own image is in `/`. */
const environment: readonly object[] = Object.entries({
  PATH: `${toolsFolder}:/usr/local/bin:/usr/sbin:/usr/bin:/bin:/`,
  PORT: String(port),
  PEER_PORT: '6222',
  MONITOR_PORT: '8222',
  STATE_PORT: '8223',
  AUTH: authFolder,
}).map(([name, value]) => ({ name, value }));

const podsOf = ({ name, auth, shellImage }: NatsStoreOptions): StorePods => ({
  ...{ name, scripts, userId: 65_532, shellImage, environment },
  secrets: [{ name: 'auth', secretName: auth.secretName, mountPath: authFolder }],
});

/** What is merged over the members' pod. */
export function memberPod(options: NatsStoreOptions): object {
  const { settings = {}, resources } = options;
  const parameters = Object.entries(settings).map(([setting, value]) => `--${setting}=${value}`);
  return memberPodOf(podsOf(options), { parameters, resources });
}

/** What is merged over the pod of each Job. */
export const taskPod = (options: NatsStoreOptions): object => taskPodOf(podsOf(options));
