import type { Client } from '@ordinal/client';
import { GateAsker, askGates } from '../checks/gate-asker.ts';
import type { Contents } from '../cluster/contents.ts';
import { LiveContents, pause } from '../cluster/live.ts';
import { nearby } from '../cluster/nearby.ts';
import { readAround, readContents } from '../cluster/read.ts';
import type { Surroundings } from '../cluster/surroundings.ts';
import { surroundingsOf } from '../cluster/surroundings.ts';
import { exitCodes } from '../failure.ts';
import type { OrdinalResource, Reference } from '../kinds.ts';
import { parseReference } from '../kinds.ts';
import type { Output } from '../output.ts';
import { print } from '../output.ts';
import { renderOverview, renderStatus, renderUrgent } from '../status/render.ts';
import type { StatusView } from '../status/view.ts';
import { statusView } from '../status/view.ts';
import { Repaint } from '../terminal/repaint.ts';
import { colored, plain } from '../terminal/style.ts';
import type { World } from '../world.ts';
import type { Command, CommandContext, CommandLine } from './command.ts';
import { connected, referenceOption } from './command.ts';

/** How often the picture is drawn again at most, in milliseconds: times go on although nothing changes. */
const frameMs = 1_000;

const isNamed =
  ({ descriptor, name }: Reference) =>
  ({ kind, metadata }: OrdinalResource): boolean =>
    kind === descriptor.kind && metadata.name === name;

/** The views of all resources, in the order of their names. */
function viewsOf(contents: Contents, now: number): readonly StatusView[] {
  const near = nearby(contents);
  return contents.resources
    .map((resource) => statusView(surroundingsOf(resource, near(resource)), now))
    .sort((a, b) => `${a.namespace}/${a.kind}/${a.name}`.localeCompare(`${b.namespace}/${b.kind}/${b.name}`));
}

/** The view of one resource, with what its gates say now: its members are asked by GET. */
async function viewOf(
  reference: Reference,
  place: { readonly client: Client; readonly namespace: string },
  world: World,
): Promise<StatusView> {
  const { resource, contents } = await readAround(reference, place);
  const around = surroundingsOf(resource, contents);
  const { clock, interrupted: signal } = world;
  const said = await askGates(around, { client: place.client, clock, signal });
  return statusView(around, clock.now(), said);
}

/** What is watched: all resources, or one of them with its gates. */
class Watched {
  readonly reference: Reference | undefined;
  readonly #live: LiveContents;
  readonly #gates: GateAsker;
  #around: readonly Surroundings[] = [];

  constructor(live: LiveContents, gates: GateAsker, reference: Reference | undefined) {
    [this.#live, this.#gates, this.reference] = [live, gates, reference];
  }

  /** Grows with each change, and with each answer of a gate. */
  get revision(): number {
    return this.#live.revision + this.#gates.revision;
  }

  /** The views at a time. */
  at(now: number): readonly StatusView[] {
    const { reference } = this;
    const contents = this.#live.now();
    if (!reference) return viewsOf(contents, now);
    const resources = contents.resources.filter(isNamed(reference));
    this.#around = resources.map((resource) => surroundingsOf(resource, contents));
    return this.#around.map((around) => statusView(around, now, this.#gates.last(around)));
  }

  /** Has the gates asked where that is due. */
  ask(): void {
    for (const around of this.#around) this.#gates.last(around);
  }
}

function linesOf(views: readonly StatusView[], reference: Reference | undefined, world: World): readonly string[] {
  const drawing = { paint: world.hasColors ? colored : plain, now: world.clock.now() };
  const [only] = views;
  if (reference && only) return renderStatus(only, drawing);
  if (only === undefined) return ['there are no resources of Ordinal here; -A shows all namespaces'];
  return renderOverview(views, drawing);
}

/** Of many resources as many as the terminal has room for, those first that want to be looked at. */
function fitting(views: readonly StatusView[], world: World): readonly string[] {
  const lines = linesOf(views, undefined, world);
  const drawing = { paint: world.hasColors ? colored : plain, now: world.clock.now() };
  return lines.length < world.rows ? lines : renderUrgent(views, world.rows - 1, drawing);
}

/** Prints what is shown as data, at first and after each change, until the user ends it. */
async function follow(watched: Watched, output: Output, world: World): Promise<void> {
  let [seen, last] = [-1, ''];
  while (!world.interrupted.aborted) {
    watched.ask();
    if (seen !== watched.revision) {
      seen = watched.revision;
      const views = watched.at(world.clock.now());
      const data = watched.reference ? (views[0] ?? null) : views;
      const text = JSON.stringify(data);
      // Of YAML, documents; JSON values need nothing between them.
      if (text !== last) {
        if (output === 'yaml' && last !== '') world.out('---\n');
        print(world, output, { data, lines: () => [] });
      }
      last = text;
    }
    await pause(frameMs, world.interrupted);
  }
}

/** Draws again and again, where something has changed or a second has passed, until the user ends it. */
async function watch(watched: Watched, world: World): Promise<void> {
  const { reference } = watched;
  const screen = new Repaint(world);
  let [seen, views]: [number, readonly StatusView[]] = [-1, []];
  while (!world.interrupted.aborted) {
    watched.ask();
    if (seen !== watched.revision) [seen, views] = [watched.revision, watched.at(world.clock.now())];
    screen.draw(world.isTerminal && !reference ? fitting(views, world) : linesOf(views, reference, world));
    await pause(frameMs, world.interrupted);
  }
  screen.end();
}

const options = (line: CommandLine) =>
  line
    .positional('resource', referenceOption)
    .option('watch', { alias: 'w', type: 'boolean', default: false, describe: 'keep the picture current until Ctrl-C' })
    .option('all-namespaces', {
      alias: 'A',
      type: 'boolean',
      default: false,
      describe: 'the resources of all namespaces',
    });

function add(line: CommandLine, context: CommandContext): CommandLine {
  const { world } = context;
  return line.command(
    'status [resource..]',
    'show a resource as a tree, or all of them with a line for each',
    options,
    connected(context, async (given, { client, namespace }) => {
      const words = given.resource ?? [];
      const reference = words.length === 0 ? undefined : parseReference(words);
      const place = { client, namespace: given.allNamespaces && !reference ? undefined : namespace };
      if (given.watch) {
        const live = new LiveContents(place, world.interrupted);
        await live.start();
        const { clock, interrupted: signal } = world;
        const watched = new Watched(live, new GateAsker({ client, clock, signal }), reference);
        if (given.output === 'text') await watch(watched, world);
        else await follow(watched, given.output, world);
        return exitCodes.done;
      }
      const views = reference
        ? [await viewOf(reference, { client, namespace }, world)]
        : viewsOf(await readContents(place), world.clock.now());
      print(world, given.output, { data: reference ? views[0] : views, lines: () => linesOf(views, reference, world) });
      return exitCodes.done;
    }),
  );
}

/** `status [KIND/NAME] [--watch]`: a tree of one resource, or a line for each. */
export const status: Command = { name: 'status', options, add };
