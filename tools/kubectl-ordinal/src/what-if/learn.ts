import type { KubernetesObject, Pod } from '@ordinal/client';
import { controllerOf, instantOf, pods, statefulSets } from '@ordinal/client';
import { ofKind } from './of-kind.ts';

/** How long members of a StatefulSet take, as its present pods show. */
export interface Learnt {
  /** The StatefulSet. */
  readonly set: string;
  /** How many pods show it. None: the figures are assumed. */
  readonly pods: number;
  /** From when its node has taken the pod to the start of its containers, in milliseconds: by one clock, that of the node. */
  readonly startsAfter: number;
  /** From there until it is ready. */
  readonly readyAfter: number;
  /** The quickest and the slowest of them. */
  readonly range: readonly [least: number, most: number];
}

/** What is taken where no pod shows it, in milliseconds. */
const assumed = { startsAfter: 1_000, readyAfter: 10_000 } as const;

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** What one pod shows: undefined where it is not ready, or was restarted. */
function shownBy({ status }: Pod): { readonly startsAfter: number; readonly readyAfter: number } | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const containers = status?.containerStatuses ?? [];
  const starts = containers.flatMap(({ state, restartCount }) =>
    restartCount === 0 ? (instantOf(state?.running?.startedAt) ?? []) : [],
  );
  const taken = instantOf(status?.startTime);
  const readyAt = instantOf(ready?.lastTransitionTime);
  if (ready?.status !== 'True' || starts.length < containers.length || starts.length === 0) return undefined;
  if (taken === undefined || readyAt === undefined) return undefined;
  const started = Math.max(...starts);
  return { startsAfter: Math.max(0, started - taken), readyAfter: Math.max(0, readyAt - started) };
}

/** How long the members of each StatefulSet take to start and to get ready: the middle of what its present pods show. Times in Kubernetes are whole seconds. Pure. */
export function learn(objects: readonly KubernetesObject[]): readonly Learnt[] {
  const seen = ofKind(pods, objects);
  return ofKind(statefulSets, objects).map(({ metadata: { name, uid } }) => {
    const shown = seen.flatMap((pod) => (controllerOf(pod)?.uid === uid ? (shownBy(pod) ?? []) : []));
    if (shown.length === 0) return { set: name, pods: 0, ...assumed, range: [assumed.readyAfter, assumed.readyAfter] };
    const ready = shown.map(({ readyAfter }) => readyAfter);
    return {
      ...{ set: name, pods: shown.length, readyAfter: middle(ready) },
      startsAfter: middle(shown.map(({ startsAfter }) => startsAfter)),
      range: [Math.min(...ready), Math.max(...ready)],
    };
  });
}

/** What is taken for members of a StatefulSet that is not there yet. */
export const unlearnt = (set: string): Learnt => ({
  ...{ set, pods: 0, ...assumed },
  range: [assumed.readyAfter, assumed.readyAfter],
});

/** What is known of an image that does not start. */
export type Broken = 'pull' | 'start';

const reasons: Readonly<Record<string, Broken>> = {
  ...{ ErrImagePull: 'pull', ImagePullBackOff: 'pull', InvalidImageName: 'pull', ErrImageNeverPull: 'pull' },
  ...{ CrashLoopBackOff: 'start', CreateContainerError: 'start', RunContainerError: 'start' },
};

/** The images that do not start now, as pods that wait for them show. Pure. */
export function brokenImages(objects: readonly KubernetesObject[]): ReadonlyMap<string, Broken> {
  const found = new Map<string, Broken>();
  const working = new Set<string>();
  for (const { spec, status } of ofKind(pods, objects)) {
    for (const { name, ready, state } of status?.containerStatuses ?? []) {
      const image = spec.containers.find((container) => container.name === name)?.image ?? '';
      const broken = reasons[state?.waiting?.reason ?? ''];
      if (ready) working.add(image);
      else if (broken) found.set(image, broken);
    }
  }
  return new Map([...found].filter(([image]) => !working.has(image)));
}
