import { memberPodOf, taskPodOf } from '../stores.ts';
import type { StorePods } from '../stores.ts';
import type { ZookeeperStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

/** The port for clients. */
export const port = 2181;

const authFolder = '/auth';

/** The environment by which the scripts reach the members. That of the image says where Java is. */
const environment: readonly object[] = Object.entries({
  PORT: String(port),
  PEER_PORT: '2888',
  ELECTION_PORT: '3888',
  AUTH: authFolder,
}).map(([name, value]) => ({ name, value }));

const podsOf = ({ name, auth, shellImage }: ZookeeperStoreOptions): StorePods => ({
  ...{ name, scripts, userId: 65_532, shellImage, environment },
  secrets: [{ name: 'auth', secretName: auth.secretName, mountPath: authFolder }],
});

/** What is merged over the members' pod. */
export function memberPod(options: ZookeeperStoreOptions): object {
  const { settings = {}, resources, heap = '1g' } = options;
  const parameters = Object.entries(settings).map(([setting, value]) => `--${setting}=${value}`);
  return memberPodOf(podsOf(options), { parameters, environment: [{ name: 'HEAP', value: heap }], resources });
}

/** What is merged over the pod of each Job. */
export const taskPod = (options: ZookeeperStoreOptions): object => taskPodOf(podsOf(options));
