import type { KubernetesObject, KubernetesObjectInput, ResourceDescriptor, Selection } from '@ordinal/client';
import type { IndexFunction } from '../cache/store.ts';
import { owner, self } from '../handler/handler.ts';
import type { Handler } from '../handler/handler.ts';
import { primaryChanged, resourceVersionChanged } from '../predicate/predicate.ts';
import type { Predicate } from '../predicate/predicate.ts';
import type { Reconcile } from '../reconciler.ts';
import type { Channel } from '../source/channel.ts';
import type {
  ControllerDefinition,
  ControllerOptions,
  TimerDeclaration,
  Use,
  WatchDeclaration,
  WriteDeclaration,
  WriteVerb,
} from './definition.ts';

/** How a kind is read. */
export interface ReadOptions<Read extends KubernetesObject, IndexName extends string = string> extends Selection {
  /** Named indexes over the kind, for `cache.byIndex` and `mapByIndex`. */
  readonly indexes?: Readonly<Record<IndexName, IndexFunction<Read>>>;
}

/** How a kind is watched. */
export interface WatchingOptions<Read extends KubernetesObject, IndexName extends string = string> extends ReadOptions<
  Read,
  IndexName
> {
  /** Which changes count. */
  readonly predicate?: Predicate<Read>;
}

/** How a controller's own kind is watched. */
export interface PrimaryOptions<
  Read extends KubernetesObject,
  IndexName extends string = string,
> extends WatchingOptions<Read, IndexName> {
  /** Further keys that a change concerns, beside the object's own: such as the object that controls one of the same kind (`owner`). */
  readonly alsoWakes?: Handler<Read, IndexName>;
}

/** The first step: a controller has a name and, above all, a kind. */
export interface NamedController {
  /**
   * The controller's own kind. It is woken by changes of generation, annotations, finalizers and deletionTimestamp, and a few seconds after another client has
   * changed the status, unless `predicate` says otherwise. What the predicate lets through also wakes what `alsoWakes` names.
   */
  for<Read extends KubernetesObject, Write extends KubernetesObjectInput, const IndexName extends string = never>(
    descriptor: ResourceDescriptor<Read, Write>,
    options?: PrimaryOptions<Read, IndexName>,
  ): ControllerBuilder<IndexName>;
}

/** What else a controller reads, writes and is woken by. Each call returns a new builder. `IndexName`: the indexes of its own kind. */
export interface ControllerBuilder<IndexName extends string> {
  /**
   * Children: a change wakes the object that controls them. Where the controller writes them too, it may `update` the `finalizers` of its own kind: the admission
   * plugin OwnerReferencesPermissionEnforcement asks this of who sets an owner that the garbage collector waits for.
   */
  owns<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    options?: WatchingOptions<Read>,
  ): ControllerBuilder<IndexName>;
  /** Anything else: a change wakes the keys that the handler names. */
  watches<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    handler: Handler<Read, IndexName>,
    options?: WatchingOptions<Read>,
  ): ControllerBuilder<IndexName>;
  /** A kind that is read from the cache and wakes no reconcile. */
  reads<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    options?: ReadOptions<Read>,
  ): ControllerBuilder<IndexName>;
  /** A kind that is written, with the verbs that it takes, so that permissions can be derived. */
  writes<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    verbs: readonly WriteVerb[],
    subresource?: string,
  ): ControllerBuilder<IndexName>;
  /** Looks at keys again and again. They queue behind fresh changes. */
  withTimer(timer: TimerDeclaration): ControllerBuilder<IndexName>;
  /** Is woken by what is sent to the channel. */
  withChannel(channel: Channel): ControllerBuilder<IndexName>;
  options(options: ControllerOptions): ControllerBuilder<IndexName>;
  /** What the controller does. Ends the building. */
  reconcile(reconcile: Reconcile): ControllerDefinition;
}

/**
 * Begins a controller. Its name stands in logs, metrics and events.
 *
 * @example
 * controller('cache')
 *   .for(clusteredCaches, { indexes: { bySecret: (cache) => cache.spec.secrets.map((name) => `${cache.metadata.namespace}/${name}`) } })
 *   .owns(statefulSets)
 *   .watches(secrets, mapByIndex('bySecret'), { predicate: dataChanged })
 *   .writes(statefulSets, ['create', 'patch'])
 *   .reconcile(async (key, { cache, client }) => awaitChange());
 */
export function controller(name: string): NamedController {
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name))
    throw new TypeError(`"${name}" is no controller name: use lower-case letters, digits and dashes`);
  return {
    for: (descriptor, { alsoWakes, ...options } = {}) => {
      const handler = alsoWakes === undefined ? self : both(self, alsoWakes);
      const primary = declare('for', descriptor, { predicate: primaryChanged, ...options, handler });
      return builder({
        name,
        primary: descriptor,
        watches: [primary],
        writes: [],
        timers: [],
        channels: [],
        options: {},
      });
    },
  };
}

/** The keys that either names. */
const both =
  <Read extends KubernetesObject>(one: Handler, other: Handler<Read, string>): Handler<Read, string> =>
  (object, context) => [...one(object, context), ...other(object, context)];

type Draft = Omit<ControllerDefinition, 'reconcile'>;

function builder<IndexName extends string>(draft: Draft): ControllerBuilder<IndexName> {
  const watching = (watch: WatchDeclaration): ControllerBuilder<IndexName> => {
    const before = draft.watches.find(({ descriptor }) => sameKind(descriptor, watch.descriptor));
    if (before !== undefined) {
      throw new TypeError(
        `controller ${draft.name} declares ${watch.descriptor.plural} with "${before.use}" and again with "${watch.use}": one declaration is enough, a watched kind can be read too`,
      );
    }
    return builder({ ...draft, watches: [...draft.watches, watch] });
  };
  return {
    owns: (descriptor, options = {}) =>
      watching(declare('owns', descriptor, { predicate: resourceVersionChanged, ...options, handler: owner })),
    watches: (descriptor, handler, options = {}) =>
      watching(declare('watches', descriptor, { predicate: resourceVersionChanged, ...options, handler })),
    reads: (descriptor, options = {}) => watching(declare('reads', descriptor, options)),
    writes: (descriptor, verbs, subresource) => {
      const write: WriteDeclaration = { descriptor, verbs, ...(subresource !== undefined && { subresource }) };
      return builder({ ...draft, writes: [...draft.writes, write] });
    },
    withTimer: (timer) => builder({ ...draft, timers: [...draft.timers, timer] }),
    withChannel: (channel) => builder({ ...draft, channels: [...draft.channels, channel] }),
    options: (options) => builder({ ...draft, options: { ...draft.options, ...options } }),
    reconcile: (reconcile) => Object.freeze({ ...draft, writes: withOwnership(draft), reconcile }),
  };
}

/** The verbs with which an owner reference is written. */
const setsOwners: ReadonlySet<WriteVerb> = new Set(['create', 'update', 'patch']);

/** What is written, with the finalizers of the controller's own kind where it makes what it owns. */
function withOwnership({ primary, watches, writes }: Draft): readonly WriteDeclaration[] {
  const owned = watches.filter(({ use }) => use === 'owns');
  const makesOwned = writes.some(
    ({ descriptor, verbs, subresource }) =>
      subresource === undefined &&
      verbs.some((verb) => setsOwners.has(verb)) &&
      owned.some((child) => sameKind(child.descriptor, descriptor)),
  );
  const isSaid = writes.some(
    ({ descriptor, verbs, subresource }) =>
      subresource === 'finalizers' && verbs.includes('update') && sameKind(descriptor, primary),
  );
  if (!makesOwned || isSaid) return writes;
  return [...writes, { descriptor: primary, verbs: ['update'], subresource: 'finalizers' }];
}

function sameKind(left: ResourceDescriptor, right: ResourceDescriptor): boolean {
  return left.group === right.group && left.plural === right.plural;
}

type Declared<Read extends KubernetesObject> = WatchingOptions<Read> & { readonly handler?: Handler<Read, string> };

/** Forgets the kind's type, as a list of different kinds must: each function is only ever called with objects of its own kind. */
function declare<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
  use: Use,
  descriptor: ResourceDescriptor<Read, Write>,
  options: Declared<Read>,
): WatchDeclaration {
  const { predicate, handler, indexes, labelSelector, fieldSelector } = options;
  return {
    use,
    descriptor,
    selection: {
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    },
    ...(predicate !== undefined && { predicate: predicate as Predicate }),
    ...(handler !== undefined && { handler: handler as Handler<KubernetesObject, string> }),
    indexes: (indexes ?? {}) as Readonly<Record<string, IndexFunction>>,
  };
}
