import {
  badImage,
  deletePods,
  drained,
  halfWayAndBack,
  measured,
  operatorKilled,
  otherSizes,
  replaced,
  upgrade,
  type LoadedStore,
} from './stores.ts';

/** What a recipe's software brings to the steps that all recipes go through under load. */
export interface Software {
  /** The two versions, by the images' tags. */
  readonly before: string;
  readonly after: string;
  /** What the step of the upgrade is called. */
  readonly upgrade: string;
  /** Whether a member that has run `after` can go back to `before`, with its files. */
  readonly goesBack: boolean;
  /** The member that writes depend on: what it is called, and the pod that it is now. */
  readonly leader: { readonly called: string; readonly find: (at: LoadedStore) => Promise<string> };
  /** Throws where, after its pod has been replaced, it should be another one and is not. */
  readonly checkLead?: (at: LoadedStore, former: string) => Promise<void>;
  /** The same as an upgrade, by the software's own tools. */
  readonly byHand: (at: LoadedStore) => Promise<void>;
  /** A setting that members have once they have all been replaced again, and how it is written in a member's container. */
  readonly setting: { readonly settings: Readonly<Record<string, string>>; readonly sign: string };
  /** How many members the software has. Throws where one of them does not count yet. */
  readonly sizeOf: (at: LoadedStore) => Promise<number>;
}

/** Everything that changes the version: by hand, half way and back, all of it, and to an image that is nowhere. A short run has the upgrade alone. */
export async function changesOfVersion(at: LoadedStore, software: Software): Promise<void> {
  const { isWhole } = at.world;
  const { before, after } = software;
  if (isWhole) await software.byHand(at);
  if (isWhole && software.goesBack) await halfWayAndBack(at, before, after);
  await upgrade(at, software.upgrade, after);
  if (isWhole) await badImage(at, after);
}

/** Everything that takes members away: a deletion, a drain, an upgrade while the operator is killed, and other sizes. A short run has the deletion alone. */
export async function changesOfMembers(at: LoadedStore, software: Software): Promise<void> {
  const { after, leader, setting, checkLead, sizeOf } = software;
  await measured(at, `${leader.called} is deleted by hand`, async () => {
    const member = await leader.find(at);
    await replaced(at, member, () => deletePods(at, member));
    await checkLead?.(at, member);
  });
  if (!at.world.isWhole) return;
  await measured(at, `${leader.called} is drained`, async () => {
    const member = await leader.find(at);
    await replaced(at, member, () => drained(at, member));
  });
  const { settings, sign } = setting;
  await operatorKilled(at, { version: after, settings }, sign);
  await otherSizes(at, { version: after, settings }, () => sizeOf(at));
}
