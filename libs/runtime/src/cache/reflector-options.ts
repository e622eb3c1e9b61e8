import type {
  Clock,
  KindClient,
  KubernetesObject,
  KubernetesObjectInput,
  Projection,
  Random,
  ResourceDescriptor,
  Selection,
  WatchEvent,
} from '@ordinal/client';
import type { ReflectorTiming } from './timing.ts';
import type { WatchFailure } from './watch-failure.ts';

/** Where a reflector lists and watches: a kind in the cluster or in one namespace. */
export type WatchSource = Pick<KindClient<KubernetesObject, KubernetesObjectInput>, 'list' | 'watch'>;

/** Who takes in what a reflector reads. */
export interface ReflectorSink {
  /** A consistent list begins: what it does not bring is gone when it ends. */
  beginList(): void;
  /** Answers whether the sink had the object in a later state: no list may ever bring an earlier one. */
  listed(object: KubernetesObject): boolean;
  /** The list is complete. `missing`: our own writes since the sink was last current that the list did not bring, since they were deleted or lost meanwhile. */
  endList(missing: readonly KubernetesObject[]): void;
  changed(event: WatchEvent<KubernetesObject>): void;
  /** Whether a list would bring more than the watch goes on with: asked when a watch has ended. */
  wantsList(): boolean;
}

/** What a reflector needs. */
export interface ReflectorOptions {
  readonly descriptor: ResourceDescriptor;
  readonly source: WatchSource;
  readonly namespace?: string;
  readonly selection: Selection;
  readonly project: Projection;
  readonly clock: Clock;
  readonly random: Random;
  readonly sink: ReflectorSink;
  readonly timing: ReflectorTiming;
  readonly onFailure: (failure: WatchFailure | undefined, error?: unknown) => void;
  /** The server has shown a revision that is older than one that it had shown before: its store was restored to an older state. */
  readonly onRestored: () => void;
}
