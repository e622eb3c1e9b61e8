import type { World } from '../world.ts';
import { adoptionScenario } from './adoption.ts';
import { channelsScenario } from './channels.ts';
import { clusteredCacheScenarios } from './clustered-cache.ts';
import { deletionScenarios } from './deletions.ts';
import { etcdScenario } from './etcd.ts';
import { failureModesScenario } from './failure-modes.ts';
import { galeraScenario } from './galera.ts';
import { kafkaScenario } from './kafka.ts';
import { lifecycleScenarios } from './lifecycle.ts';
import { natsScenario } from './nats.ts';
import { externalScenarios } from './external.ts';
import { interruptedScenarios } from './interrupted.ts';
import { killedOperatorScenarios } from './killed-operator.ts';
import { postgresqlScenario } from './postgresql.ts';
import { rabbitmqScenario } from './rabbitmq.ts';
import { redisSetScenario } from './redis-set.ts';
import { redisStoreScenario } from './redis-store.ts';
import { valkeyScenario } from './valkey.ts';
import { consoleScenario } from './console.ts';
import { wedgesScenario } from './wedges.ts';
import { zookeeperScenario } from './zookeeper.ts';
import { kvStoreClusterScenario } from './kv-store-cluster.ts';

/** Every scenario by name, in the order that they run. Some run at the same time (`inGroups`). */
export const scenarios: Readonly<Record<string, (world: World) => Promise<void>>> = {
  cache: clusteredCacheScenarios,
  'redis-store': redisStoreScenario,
  'redis-set': redisSetScenario,
  adoption: adoptionScenario,
  kills: killedOperatorScenarios,
  store: kvStoreClusterScenario,
  interrupted: interruptedScenarios,
  etcd: etcdScenario,
  nats: natsScenario,
  zookeeper: zookeeperScenario,
  postgresql: postgresqlScenario,
  galera: galeraScenario,
  valkey: valkeyScenario,
  kafka: kafkaScenario,
  rabbitmq: rabbitmqScenario,
  external: externalScenarios,
  deletions: deletionScenarios,
  pages: failureModesScenario,
  wedges: wedgesScenario,
  console: consoleScenario,
  // They end without an operator, so that they come last.
  lifecycle: lifecycleScenarios,
  channels: channelsScenario,
};
