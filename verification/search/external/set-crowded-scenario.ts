import { wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';
import { honest } from '../../../libs/reconcilers/test/external/database-world.ts';
import { Standstill } from '../../../libs/reconcilers/test/external/broken.ts';
import { FakeProvider } from '../../../libs/reconcilers/test/external/fake-provider.ts';
import type { SetScenario } from '../../../libs/reconcilers/test/external/set-steps.ts';
import { create, move, registered, remove, until } from '../../../libs/reconcilers/test/external/set-steps.ts';
import { endpoints, setNow } from '../../../libs/reconcilers/test/external/set-world.ts';

/** So many monitors beside the one where the set is registered fill its status. */
const others = Array.from({ length: 15 }, (_, index) => `http://monitor-${index}.example`);

/** The status has no room for the monitor that the spec names, until those answer again that were named in between. */
export const crowdedScenario: SetScenario = {
  name: 'moved over fifteen monitors that are down to one that there is no room for, deleted',
  left: 0,
  async run(world) {
    const { clock } = world.cluster;
    // They never take an entry: what counts is that they may have.
    const providers = others.map(() => new FakeProvider(clock, honest));
    providers.forEach((provider, index) => {
      provider.refused.set('POST', 503);
      world.cluster.external(others[index] ?? '', provider.handle);
    });
    await create(world);
    await registered(world);
    for (const [index, url] of others.entries()) {
      await move(world, url);
      await until(world, `a record of ${url}`, (set) => set?.status?.registrations?.[0]?.endpoint === url);
      const provider = providers[index];
      if (provider) provider.outage = 503;
    }
    await move(world, endpoints[1]);
    await world.cluster.advance(120_000);
    const recorded = setNow(world.cluster, 'db')?.status?.registrations?.length ?? 0;
    if (recorded > 16 && !wasRestored(world.cluster)) throw new Standstill(`${recorded} monitors are recorded`);
    for (const provider of providers) provider.outage = undefined;
    await until(world, 'one entry', (set) => set?.status?.registrations?.length === 1);
    await registered(world);
    await remove(world);
  },
};
