import { statefulSets } from '@ordinal/client';
import type { SetScenario } from '../../../libs/reconcilers/test/external/set-steps.ts';
import { create, reach, remove, roll, settled } from '../../../libs/reconcilers/test/external/set-steps.ts';
import type { SetWorld } from '../../../libs/reconcilers/test/external/set-world.ts';

const isRolledOut = ({ cluster }: SetWorld): boolean =>
  cluster.objects.find(statefulSets, 'team', 'db')?.status?.updatedReplicas === 2;

const areSilent = ({ providers: [provider] }: SetWorld): boolean => provider.present()[0]?.fields['muted'] === true;

/** Waits until alerts are heard, as they are not while pods come up at first. */
const heard = (world: SetWorld): Promise<void> =>
  reach(world, 'an alert that is heard', () => world.providers[0].present()[0]?.fields['muted'] === false);

/** Whose alerts are silent while pods are replaced, and no longer. */
export const rolloutScenarios: readonly SetScenario[] = [
  {
    name: 'upgraded, and heard again when that is done, deleted',
    left: 0,
    async run(world) {
      await create(world);
      await settled(world);
      await heard(world);
      await roll(world, 'app:2');
      await reach(world, 'the new template everywhere', () => isRolledOut(world));
      await settled(world);
      await heard(world);
      await remove(world);
    },
  },
  {
    name: 'upgraded to what never runs, and heard again after a while, deleted',
    left: 0,
    async run(world) {
      world.cluster.image('broken:1', { ready: false });
      await create(world);
      await settled(world);
      await heard(world);
      await roll(world, 'broken:1');
      await reach(world, 'silence', () => areSilent(world));
      await heard(world);
      await remove(world);
    },
  },
];
