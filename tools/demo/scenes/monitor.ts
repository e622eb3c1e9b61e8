import { monitoredStatefulSets } from '@ordinal/api';
import { names } from '../samples.ts';
import type { Stage } from '../stage.ts';

/** Moves a registration from one monitoring service to another. */
export async function moveMonitor({
  screen,
  resources,
  surroundings,
  watcher,
  assertions,
  outside,
}: Stage): Promise<void> {
  const [first, second] = outside.monitors;
  const sets = resources.monitoredStatefulSets.namespace(surroundings.namespace);
  const phase = (): string | undefined => watcher.find(monitoredStatefulSets, names.monitored)?.status?.phase;
  await watcher.until('the set is registered', () => phase() === 'Registered');
  assertions.check('a monitor is registered, once', first.entries.size === 1, [...first.entries.keys()].join(', '));
  screen.line('user', 'moves the monitored set to another monitoring service', 'user');
  await sets.patch(names.monitored, { type: 'merge', body: { spec: { monitorEndpoint: second.url } } });
  await watcher.until('the registration has moved', () => second.entries.size === 1 && first.entries.size === 0);
  assertions.check(
    'it is moved: one entry at the new service, none at the old',
    second.entries.size === 1 && first.entries.size === 0,
    `${first.entries.size} → ${second.entries.size}`,
  );
}

/** Deletes the set; its registration ends before it does. */
export async function endMonitor({
  screen,
  resources,
  surroundings,
  watcher,
  assertions,
  outside,
}: Stage): Promise<void> {
  const [first, second] = outside.monitors;
  const sets = resources.monitoredStatefulSets.namespace(surroundings.namespace);
  screen.line('user', 'deletes the monitored set', 'user');
  await sets.delete(names.monitored);
  await watcher.until('the set is gone', () => watcher.find(monitoredStatefulSets, names.monitored) === undefined);
  screen.line('monitored', 'deregistered, and gone', 'good');
  const left = first.entries.size + second.entries.size;
  assertions.check('it is deregistered before the set is gone', left === 0, `${left} entries left`);
}
