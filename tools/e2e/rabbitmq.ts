import { JsonPatch } from 'cdk8s';
import { RabbitmqStore } from '../../libs/recipes/src/index.ts';
import { inChart } from './redis.ts';
import { onTheNode, root, shellImage, type StoreNow } from './stores.ts';

/** The images that the scenario runs: RabbitMQ of Debian under two names, as no two versions of Debian follow one another, and Java with RabbitMQ's client. */
export const rabbitmqImages = {
  repository: 'docker.io/e2e/rabbitmq',
  before: '4.3',
  after: '4.3-next',
  load: 'docker.io/e2e/rabbitmq-load:1',
} as const;

/** The first user, which the load is. */
export const rabbitmqUser = { USER_NAME: 'app', PASSWORD: 'e2e-app' } as const;

/** The Secret with the user and the cookie. */
export const rabbitmqLogin = (namespace: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace },
  stringData: { user: rabbitmqUser.USER_NAME, password: rabbitmqUser.PASSWORD, 'erlang-cookie': 'e2e-members' },
});

/** A KVStoreCluster of RabbitMQ, and its scripts. */
export function rabbitmqStore(
  namespace: string,
  { name, version, replicas = 3, settings = {} }: StoreNow,
): readonly object[] {
  return inChart(namespace, (chart) => {
    const { resource } = new RabbitmqStore(chart, name, {
      ...{ name, version, replicas, shellImage },
      image: rabbitmqImages.repository,
      storage: { className: 'standard', size: '1Gi' },
      auth: { secretName: 'login' },
      // By default as much as the limit may be in memory before it is written elsewhere.
      settings: { 'raft.wal_max_size_bytes': '32000000', ...settings },
      resources: { limits: { memory: '1Gi' } },
    });
    // On a machine that others use as well a server takes more than a minute to start.
    const patience = JsonPatch.replace('/spec/upgrade/progressDeadline', '240s');
    resource.addJsonPatch(...onTheNode(root), patience);
  });
}
