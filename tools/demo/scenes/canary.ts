import { kvStoreClusters } from '@ordinal/api';
import { pods } from '@ordinal/client';
import { isMember, isReady, versionOf } from '../pods.ts';
import { watchReplacements } from '../replacements.ts';
import { names } from '../samples.ts';
import type { Stage } from '../stage.ts';

/** Upgrades the store to a version that answers with errors: one member tries it, and goes back. */
export async function rollBackCanary({ screen, resources, surroundings, watcher, assertions }: Stage): Promise<void> {
  const { namespace, store } = surroundings;
  const seen = watchReplacements(watcher, `${names.store}-`);
  const stores = resources.kvStoreClusters.namespace(namespace);
  screen.line('user', `asks the store for version ${store.after}, which answers 12 % with errors`, 'user');
  await stores.patch(names.store, { type: 'merge', body: { spec: { version: store.after } } });
  const status = () => watcher.find(kvStoreClusters, names.store)?.status;
  await watcher.until('the analysis of the canary fails', () => status()?.failure !== undefined);
  const allBack = (): boolean => {
    const members = watcher.list(pods, `${names.store}-`).filter(isMember);
    return members.length === 3 && members.every((pod) => isReady(pod) && versionOf(pod) === store.before);
  };
  const cameBack = (): boolean => seen.versions.get(`${names.store}-2`)?.at(-1) === store.before;
  await watcher.until('the canary is rolled back', () => cameBack() && allBack());
  screen.line('store', `rolled back: all members run ${store.before}`, 'good');
  const tried = [...seen.versions].filter(([, versions]) => versions.includes(store.after)).map(([name]) => name);
  assertions.check(
    'the bad version ran on the canary only, and it was rolled back',
    tried.length === 1 && tried[0] === `${names.store}-2` && allBack(),
    `${tried.join(', ')}: ${seen.versions.get(`${names.store}-2`)?.join(' → ')}`,
  );
  const { reason, message } = status()?.failure ?? {};
  assertions.check('the status says why', reason === 'AnalysisFailed', message ?? '');
  await stores.patch(names.store, { type: 'merge', body: { spec: { version: store.before } } });
}
