import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TimelineEntry } from '../../kubectl-ordinal/src/what-if/timeline.ts';
import { check, until } from '../kubernetes.ts';
import { pluginOnWait } from '../plugin.ts';
import { Watched } from '../watched.ts';
import { inNamespace, untilReady, type World } from '../world.ts';
import { wedges, type Wedge } from '../wedges.ts';

/** Ten wedges, each planted in a namespace of its own: `what-if` predicts it before it is applied, what then happens has the steps that were predicted, and `why` names it. */
export async function wedgesScenario(world: World): Promise<void> {
  const watched = new Watched(world.kubernetes);
  try {
    await world.report.scenario('Planted wedges: what-if predicts them, and why names them', async () => {
      // Most of the time is that of deadlines, which all can wait for at once.
      const ends = await Promise.allSettled(wedges.map((wedge) => planted(world, watched, wedge)));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    });
  } finally {
    watched.stop();
  }
}

function planted(world: World, watched: Watched, wedge: Wedge): Promise<void> {
  const namespace = `e2e-wedge-${wedge.name}`;
  return inNamespace(world, namespace, async () => {
    await world.report.step(wedge.name.replaceAll('-', ' '), async () => {
      const { kubernetes } = world;
      const { kind } = wedge;
      const reference = [`${kind}/${wedge.name}`, '-n', namespace];
      const resource = (spec: object): object => ({
        ...wedge.head,
        metadata: { name: wedge.name, namespace },
        spec: { ...wedge.before, ...spec },
      });
      if (!wedge.isNew) {
        await kubernetes.apply(resource({}));
        await untilReady(world, { kind, name: wedge.name, namespace }, 240);
      }
      await wedge.plant?.(kubernetes, namespace);
      const predicted = await prediction(world, wedge, { reference, resource: resource(wedge.change ?? {}) });
      const timeline = watched.timelineOf(wedge.name);
      if (wedge.change) await kubernetes.apply(resource(wedge.change));
      else await kubernetes.kubectl(['delete', kind, wedge.name, '-n', namespace, '--wait=false']);
      const wanted = steps(predicted);
      check(wanted.length > 0, 'no step was predicted, so none can be compared');
      await until(`what was predicted: ${wanted.join('; ')}`, 180, () => {
        const happened = steps(timeline.entries);
        if (wanted.length === happened.length && wanted.every((step, at) => step === happened[at]))
          return Promise.resolve(true);
        throw new Error(`this happened: ${happened.join('; ')}`);
      });
      const why = await pluginOnWait(kubernetes, ['why', ...reference]);
      check(wedge.named.test(why), `why says: ${why}`);
      return `${wanted.length} steps as predicted; ${wedge.named.exec(why)?.[0] ?? ''}`;
    });
  });
}

interface Question {
  readonly reference: readonly string[];
  readonly resource: object;
}

async function prediction(
  { kubernetes }: World,
  { behaviour = '', change, predicts }: Wedge,
  { reference, resource }: Question,
): Promise<readonly TimelineEntry[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ordinal-wedge-'));
  try {
    const file = join(folder, 'behaviour.yaml');
    writeFileSync(file, behaviour);
    const of = change ? ['-f', '-'] : [...reference, '--delete'];
    const parameters = ['what-if', ...of, '-o', 'json', '--members-behave', file];
    const text = await pluginOnWait(kubernetes, parameters, JSON.stringify(resource));
    check(predicts.test(text), `what-if says: ${text}`);
    return (JSON.parse(text) as { readonly timeline: readonly TimelineEntry[] }).timeline;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The steps, object by object: of two objects, the watches do not say what came first. */
function steps(entries: readonly TimelineEntry[]): readonly string[] {
  const shown = entries.filter(
    ({ kind, what }) => kind !== 'waits' && kind !== 'outcome' && !/^(does not start|is not ready)/.test(what),
  );
  const groups = Map.groupBy(shown, ({ about }) => about);
  return [...groups]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([about, its]) => its.map(({ what }) => `${about} ${what}`));
}
