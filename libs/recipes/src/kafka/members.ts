import { memberPodOf, taskPodOf } from '../stores.ts';
import type { StorePods } from '../stores.ts';
import type { KafkaStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

/** The port for clients. */
export const port = 9092;

/** The environment by which the scripts reach the members. That of the image says where Java is. */
const environment: readonly object[] = [
  { name: 'PORT', value: String(port) },
  { name: 'PEER_PORT', value: '9093' },
];

/** The user of the official image, by number. */
const userId = 1000;

const podsOf = ({ name, shellImage }: KafkaStoreOptions): StorePods => ({
  ...{ name, scripts, userId, shellImage, environment },
  secrets: [],
});

/** What is merged over the members' pod. */
export function memberPod(options: KafkaStoreOptions): object {
  const { settings = {}, resources, heap = '1g' } = options;
  return memberPodOf(podsOf(options), {
    parameters: Object.entries(settings).map(([setting, value]) => `${setting}=${value}`),
    environment: [{ name: 'HEAP', value: heap }],
    resources,
    // A broker that ends waits until others lead its partitions.
    terminationGracePeriodSeconds: 120,
  });
}

/** What is merged over the pod of each Job. */
export const taskPod = (options: KafkaStoreOptions): object => taskPodOf(podsOf(options));

/** How members are replaced: the one that leads the quorum last, and each only when the others can do without it. A server that ends hands over by itself. */
export const memberUpgrade = () => ({
  role: { exec: { command: scripts.command('role.sh') }, timeout: '30s' },
  gates: [{ name: 'quorum', target: 'Self' as const, exec: { command: scripts.command('quorum.sh') }, timeout: '45s' }],
  sync: { exec: { command: scripts.command('in-step.sh') }, timeout: '30s' },
});
