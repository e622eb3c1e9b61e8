import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Prediction } from '../../kubectl-ordinal/src/what-if/prediction.ts';
import type { TimelineEntry } from '../../kubectl-ordinal/src/what-if/timeline.ts';
import { check, until } from '../kubernetes.ts';
import { pluginOnWait } from '../plugin.ts';
import { Recorder } from '../recorder.ts';
import { Watched } from '../watched.ts';
import { inNamespace, untilReady, type World } from '../world.ts';
import { wedges, type Wedge } from '../wedges.ts';

/**
 * Ten wedges, each planted in a namespace of its own: `what-if` predicts it before it is applied, what then happens has the steps that were predicted, and `why` names it. The operator
 * records it all, and what it has recorded is decided again.
 */
export async function wedgesScenario(world: World): Promise<void> {
  const { kubernetes, report } = world;
  const watched = new Watched(kubernetes);
  const recorder = new Recorder(kubernetes);
  try {
    await report.scenario('Planted wedges: what-if predicts them, and why names them', async () => {
      await report.step('the operator records', () => recorder.start());
      try {
        // Most of the time is that of deadlines, which all can wait for at once.
        const ends = await Promise.allSettled(wedges.map((wedge) => planted(world, watched, wedge)));
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
        const answers = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
        await report.step('no answer fits another wedge', () => Promise.resolve(distinguished(answers)));
        await report.step('what it has recorded is decided again, the same to the byte', () =>
          recorder.replay(wedges.map(({ kind, name }) => ({ kind, name, namespace: namespaceOf(name) }))),
        );
      } finally {
        await report.step('it records no more', () => recorder.stop());
      }
    });
  } finally {
    watched.stop();
  }
}

const namespaceOf = (name: string): string => `e2e-wedge-${name}`;

/** What was said of a wedge. */
interface Answers {
  readonly wedge: Wedge;
  /** The steps and the waits of `what-if`. */
  readonly predicted: string;
  readonly why: string;
}

/** A pattern that matches what is said of another wedge would be no check. */
function distinguished(answers: readonly Answers[]): string {
  check(answers.length === wedges.length, `${answers.length} of ${wedges.length} were answered`);
  for (const { wedge, predicted, why } of answers) {
    const others = wedges.filter((other) => other !== wedge);
    const mistaken = others.filter((other) => other.predicts.test(predicted) || other.named.test(why));
    check(mistaken.length === 0, `${wedge.name} is taken for ${mistaken.map(({ name }) => name).join()}: ${why}`);
  }
  return `${answers.length} predictions and explanations`;
}

async function planted(world: World, watched: Watched, wedge: Wedge): Promise<Answers> {
  const namespace = namespaceOf(wedge.name);
  const said = { predicted: '', why: '' };
  await inNamespace(world, namespace, async () => {
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
      const asked = performance.now();
      const { timeline: predicted, text } = await prediction(world, wedge, {
        reference,
        resource: resource(wedge.change ?? {}),
      });
      const answered = performance.now();
      const timeline = watched.timelineOf(wedge.name);
      if (wedge.change) await kubernetes.apply(resource(wedge.change));
      else await kubernetes.kubectl(['delete', kind, wedge.name, '-n', namespace, '--wait=false']);
      const wanted = steps(predicted);
      check(wanted.length > 0, 'no step was predicted, so none can be compared');
      await until(`what was predicted: ${wanted.join('; ')}`, 300, () => {
        const happened = steps(timeline.entries);
        if (wanted.length === happened.length && wanted.every((step, at) => step === happened[at]))
          return Promise.resolve(true);
        throw new Error(`this happened: ${happened.join('; ')}`);
      });
      const questioned = performance.now();
      const why = await pluginOnWait(kubernetes, ['why', ...reference]);
      const explained = performance.now();
      Object.assign(said, { predicted: text, why });
      check(wedge.named.test(why), `why says: ${why}`);
      await wedge.release?.(kubernetes, namespace);
      const took = [answered - asked, questioned - answered, explained - questioned].map(
        (ms) => `${(ms / 1000).toFixed(1)} s`,
      );
      return `${wanted.length} steps as predicted in ${took[0]}, after ${took[1]}; why in ${took[2]}: ${wedge.named.exec(why)?.[0] ?? ''}`;
    });
  });
  return { wedge, ...said };
}

interface Question {
  readonly reference: readonly string[];
  readonly resource: object;
}

interface Predicted {
  readonly timeline: readonly TimelineEntry[];
  /** Its steps and its waits, without what the prediction rests on: that repeats what it was given by hand. */
  readonly text: string;
}

async function prediction(
  { kubernetes }: World,
  { behaviour = '', change, predicts }: Wedge,
  { reference, resource }: Question,
): Promise<Predicted> {
  const folder = mkdtempSync(join(tmpdir(), 'ordinal-wedge-'));
  try {
    const file = join(folder, 'behaviour.yaml');
    writeFileSync(file, behaviour);
    const of = change ? ['-f', '-'] : [...reference, '--delete'];
    const parameters = ['what-if', ...of, '-o', 'json', '--members-behave', file];
    const answer = await pluginOnWait(kubernetes, parameters, JSON.stringify(resource));
    const { timeline, waits } = JSON.parse(answer) as Prediction;
    const text = [...timeline.map(({ about, what }) => `${about} ${what}`), ...waits].join('\n');
    check(predicts.test(text), `what-if says: ${answer}`);
    return { timeline, text };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The steps, object by object: of two objects, the watches do not say what came first. Of what each waits for, the last: which of the waits that pass are seen depends on how fast
 * the cluster is.
 */
function steps(entries: readonly TimelineEntry[]): readonly string[] {
  const groups = Map.groupBy(entries, ({ about }) => about);
  return [...groups]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([about, its]) => {
      const last = its.findLast(({ kind }) => kind === 'waits');
      const shown = its.filter((entry) => (entry.kind === 'waits' ? entry === last : !mayPass(entry)));
      return shown.map(({ what }) => `${about} ${comparable(what)}`);
    });
}

/** A member that is going is gone before a kubelet says that it is not ready, or after. */
const mayPass = ({ what }: TimelineEntry): boolean => what === 'is not ready any more';

/**
 * Without what nothing can know before. These are the kubelet's and the scheduler's words on why a member does not start, those of a provider's network, and the ends of the names of
 * Jobs, which come from the time at which an upgrade starts. A pull that fails and one that is put off take turns.
 */
const comparable = (what: string): string =>
  what
    .replace(/^(does not start: \w+) .*$/s, '$1')
    .replaceAll('ErrImagePull', 'ImagePullBackOff')
    .replace(/\((ImagePullBackOff|Unschedulable)\): “.*?”/gs, '($1)')
    .replace(/(\(CallFailed\): Unreachable): .*$/s, '$1')
    .replace(/(-before-upgrade)-[0-9a-f]{10}\b/g, '$1-#');
