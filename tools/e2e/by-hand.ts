import { setTimeout as sleep } from 'node:timers/promises';
import { measured, memberOfRole, podsOf, untilInStep, type LoadedStore } from './stores.ts';
import { untilReady } from './world.ts';

/** Ends the server of each member, the leader's last, as one does it by hand: without the operator, and without the scripts of a hand-over. */
export async function restartedByHand(
  at: LoadedStore,
  { how, role }: { readonly how: string; readonly role: string },
  moveLead: (leader: string, successor: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { world, namespace, name } = at;
  await measured(at, `by hand: three members restarted one by one, ${how}`, async () => {
    const leader = await memberOfRole(at, role);
    const followers = (await podsOf(at)).map(({ metadata }) => metadata.name).filter((pod) => pod !== leader);
    for (const pod of [...followers, leader]) {
      if (pod === leader) await moveLead(leader, followers[0] ?? '');
      await world.kubernetes.exec(namespace, pod, 'kill $(cat /tools/pid)');
      await sleep(2_000);
      await untilInStep(at, pod);
    }
    await untilReady(world, { kind: 'kvstorecluster', name, namespace }, 60);
  });
}
