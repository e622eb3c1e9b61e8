import { setTimeout as pause } from 'node:timers/promises';
import { clusteredCaches } from '@ordinal/api';
import { pods } from '@ordinal/client';
import { isTrue } from '../pods.ts';
import type { Replacements } from '../replacements.ts';
import { watchReplacements } from '../replacements.ts';
import { names } from '../samples.ts';
import type { Stage } from '../stage.ts';

/** How long the cluster is left without an operator, in milliseconds: long enough to see that nothing moves. */
const withoutOperatorMs = 1_500;

/** What the first half of the upgrade hands to the second. */
export interface UpgradeUnderWay {
  readonly seen: Replacements;
}

const statusOf = ({ watcher }: Stage) => watcher.find(clusteredCaches, names.cache)?.status;
const members = ({ watcher }: Stage) => watcher.list(pods, `${names.cache}-`);

/** Asks for an upgrade while a member's peer can't do without it: no member goes down, and the status says why. */
export async function holdAtGate(stage: Stage): Promise<UpgradeUnderWay> {
  const { screen, resources, surroundings, watcher, assertions, cluster } = stage;
  await cluster.setGate('closed');
  const seen = watchReplacements(watcher, `${names.cache}-`);
  screen.line('user', `asks the cache for ${surroundings.cache[1]} while ${names.lagging} lags behind`, 'user');
  await resources.clusteredCaches
    .namespace(surroundings.namespace)
    .patch(names.cache, { type: 'merge', body: { spec: { image: surroundings.cache[1] } } });
  const blockedBy = (): string => statusOf(stage)?.upgrade?.blockedBy ?? '';
  await watcher.until('the gate holds the upgrade', () => blockedBy().startsWith('gate '));
  assertions.check(
    'the status says which gate holds the upgrade, and how to open it by hand',
    blockedBy().includes(names.lagging) && (statusOf(stage)?.upgrade?.release ?? '').startsWith('kubectl annotate'),
    blockedBy(),
  );
  return { seen };
}

/** Opens the gate. Until then no member may have gone down. */
export async function openGate(stage: Stage, { seen }: UpgradeUnderWay): Promise<void> {
  const { screen, assertions, cluster } = stage;
  const gone = members(stage).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  assertions.check(
    'while the gate is closed no member goes down',
    gone.length === 0 && seen.came.length === 0 && seen.fewestReady === 3,
    `${seen.fewestReady} of 3 serve`,
  );
  await cluster.setGate('open');
  screen.line('user', `${names.lagging} has caught up; the operator asks again within 1 s`, 'user');
}

/** Kills the operator while the second member is on its way out, and starts another. */
export async function killInTheMiddle(stage: Stage, { seen }: UpgradeUnderWay): Promise<void> {
  const { screen, watcher, assertions, operator } = stage;
  const second = `${names.cache}-1`;
  const isGoing = (): boolean => watcher.find(pods, second)?.metadata.deletionTimestamp !== undefined;
  await watcher.until('the second member goes down', isGoing);
  const before = operator.pid;
  await operator.kill();
  const step = statusOf(stage)?.upgrade?.step ?? 'none';
  screen.line('operator', `killed (SIGKILL) in the middle of the upgrade, at step ${step}`, 'bad');
  const came = seen.came.length;
  await pause(withoutOperatorMs);
  const isUntouched = watcher.find(pods, `${names.cache}-0`)?.metadata.deletionTimestamp === undefined;
  assertions.check(
    'the operator is killed when one of three members is upgraded',
    came === 1 && isUntouched,
    `process ${before}, at step ${step}`,
  );
  await operator.start();
  screen.line('operator', 'started again; it knows nothing but what is in the cluster', 'good');
}

/** Waits for the upgrade's end and looks at what became of each member. */
export async function finishUpgrade(stage: Stage, { seen }: UpgradeUnderWay): Promise<void> {
  const { screen, surroundings, watcher, assertions } = stage;
  const [, image] = surroundings.cache;
  const isDone = (): boolean => {
    const status = statusOf(stage);
    return status?.currentVersion === image && status.upgrade === undefined && isTrue(status.conditions, 'Ready');
  };
  await watcher.until('the upgrade is completed', isDone);
  screen.line('cache', `upgraded: all members run ${image}`, 'good');
  const order = [2, 1, 0].map((ordinal) => `${names.cache}-${ordinal}`);
  assertions.check(
    'it goes on: each member is replaced once, the highest ordinal first',
    seen.came.join() === order.join(),
    seen.came.join(', '),
  );
  assertions.check(
    'never is more than one member down',
    seen.fewestReady >= 2,
    `at least ${seen.fewestReady} of 3 serve`,
  );
}
