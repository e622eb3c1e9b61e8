import type { Assertions } from './assertions.ts';
import { deleteDatabase } from './scenes/database.ts';
import { createFour, createWatched } from './scenes/create.ts';
import { endMonitor, moveMonitor } from './scenes/monitor.ts';
import { rollBackCanary } from './scenes/canary.ts';
import { sayFarewell } from './scenes/farewell.ts';
import { finishUpgrade, holdAtGate, killInTheMiddle, openGate } from './scenes/upgrade.ts';
import type { UpgradeUnderWay } from './scenes/upgrade.ts';
import type { Stage } from './stage.ts';

/** Plays all scenes. What was asserted stands in the stage's assertions; that something did not come about is one of them. */
export async function play(stage: Stage, { keeps }: { readonly keeps: boolean }): Promise<Assertions> {
  const { assertions, screen } = stage;
  try {
    screen.title('Four resources, and a monitor that moves');
    await Promise.all([createFour(stage), moveMonitor(stage)]);
    screen.title('An upgrade that waits; meanwhile a bad canary');
    const upgrade = await holdAtGate(stage);
    await rollBackCanary(stage);
    screen.title('The gate opens, and the operator is killed; meanwhile a monitor and a database go');
    await openGate(stage, upgrade);
    await Promise.all([survive(stage, upgrade), endMonitor(stage), deleteDatabase(stage)]);
    await (keeps ? createWatched(stage) : sayFarewell(stage));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    assertions.check('the demo comes to its end', false, message);
    screen.text(`\nThe end of the operator's log:\n${stage.operator.logTail()}`);
  }
  return assertions;
}

async function survive(stage: Stage, upgrade: UpgradeUnderWay): Promise<void> {
  await killInTheMiddle(stage, upgrade);
  await finishUpgrade(stage, upgrade);
}
