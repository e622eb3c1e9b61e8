import { clusteredCaches, kvStoreClusters } from '@ordinal/api';
import { persistentVolumeClaims, pods } from '@ordinal/client';
import { isMember } from '../pods.ts';
import { names } from '../samples.ts';
import type { Stage } from '../stage.ts';

/** Deletes what is still there, and stops the operator. */
export async function sayFarewell({
  screen,
  resources,
  surroundings,
  watcher,
  assertions,
  operator,
}: Stage): Promise<void> {
  screen.title('The end');
  const { namespace } = surroundings;
  screen.line('user', 'deletes the cache and the store', 'user');
  await resources.clusteredCaches.namespace(namespace).delete(names.cache);
  await resources.kvStoreClusters.namespace(namespace).delete(names.store);
  const left = (): readonly string[] =>
    [
      ...watcher.list(clusteredCaches),
      ...watcher.list(kvStoreClusters),
      ...watcher.list(pods).filter(isMember),
      ...watcher.list(persistentVolumeClaims),
    ].map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  await watcher.until(
    'nothing is left',
    () => left().length === 0,
    () => `left: ${left().join(', ')}`,
  );
  assertions.check('nothing is left: no member, no volume claim, no stuck finalizer', left().length === 0, '0 objects');
  const exitCode = await operator.stop();
  assertions.check('the operator ends when it is asked to', exitCode === 0, `exit code ${exitCode}`);
}
