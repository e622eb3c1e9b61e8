import { conditionOf, statefulSets } from '@ordinal/client';
import type { SetScenario } from '../../../libs/reconcilers/test/external/set-steps.ts';
import {
  create,
  reach,
  remove,
  resource,
  roll,
  settled,
  until,
} from '../../../libs/reconcilers/test/external/set-steps.ts';
import type { SetWorld } from '../../../libs/reconcilers/test/external/set-world.ts';
import { setNow } from '../../../libs/reconcilers/test/external/set-world.ts';
import { gates, three, upgraded } from './set-upgrade-scenarios.ts';

const existing = ({ cluster }: SetWorld) => cluster.objects.find(statefulSets, 'team', 'db');

const template = { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } };

/** What a chart has made: with labels of its own, and replaced by Kubernetes itself. */
async function installChart(world: SetWorld): Promise<void> {
  await world.cluster
    .client()(statefulSets)
    .namespace('team')
    .create({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db', labels: { chart: 'db-1.0' } },
      spec: { replicas: 3, serviceName: 'db', selector: { matchLabels: { app: 'db' } }, template },
    });
  await reach(world, 'its pods', () => existing(world)?.status?.readyReplicas === 3);
}

const adopted = (world: SetWorld) => conditionOf(setNow(world.cluster, 'db')?.status?.conditions, 'Adopted');

/** The consent of a user, and once more where a restored etcd has lost the StatefulSet, and it was made again under another UID. */
async function consented(world: SetWorld): Promise<void> {
  const uid = (): string => existing(world)?.metadata.uid ?? '';
  const asked = (): boolean => setNow(world.cluster, 'db')?.metadata.annotations?.['ordinal.dev/adopt'] === uid();
  do {
    await until(world, 'what is to be consented to', () => uid() !== '' && adopted(world) !== undefined);
    const annotations = { 'ordinal.dev/adopt': uid() };
    await resource(world).patch('db', { type: 'merge', body: { metadata: { annotations } } });
    await until(world, 'the adoption', () => adopted(world)?.status === 'True' || !asked());
  } while (adopted(world)?.status !== 'True');
}

/** A StatefulSet of another client is taken over as it runs: what its pods are made of does not change until the spec does. */
export const adoptionScenario: SetScenario = {
  name: 'taken over from another client, upgraded by the operator, deleted',
  left: 0,
  async run(world) {
    await installChart(world);
    const { updateRevision } = existing(world)?.status ?? {};
    await create(world, { ...three({ gates }), adopt: { statefulSet: 'db' } });
    // Where a restored etcd has lost the adoption, what runs is taken over as it runs once more.
    const isLost = (): boolean => adopted(world)?.status === 'False';
    do {
      if (isLost()) await roll(world, 'app:1');
      await consented(world);
      await settled(world, isLost);
      if (isLost()) continue;
      const now = existing(world)?.status?.updateRevision;
      if (now !== updateRevision) throw new Error(`the pods are made anew as ${now ?? 'nothing'}`);
      await roll(world, 'app:2');
      await upgraded(world, 'app:2 app:2 app:2', isLost);
    } while (isLost());
    await remove(world);
  },
};
