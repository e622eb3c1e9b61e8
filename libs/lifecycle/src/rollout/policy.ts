import { checkIntervalMs, failureIntervalMs, gateIntervalMs } from './ask-again.ts';
import type { AskAgain } from './ask-again.ts';
import { maxUnavailableOf } from './max-unavailable.ts';
import type { MaxUnavailable } from './max-unavailable.ts';
import type { SpecCheck, SpecGate } from './spec-check.ts';

/** `spec.upgrade` of an object, as far as the rules of a rollout go by it: the same in every kind. What a kind's spec has elsewhere, the kind puts here. */
export interface SpecUpgrade {
  readonly gates?: readonly SpecGate[];
  readonly handoff?: SpecCheck;
  /** Who leads: by the label of its pod, or by what it answers. */
  readonly role?: SpecCheck & { readonly label?: string; readonly leaderValue?: string };
  readonly sync?: SpecCheck;
  /** How canaries are judged, where they are asked themselves. */
  readonly canary?: { readonly analysis?: SpecCheck };
  readonly askAgain?: { readonly max?: string; readonly maxAfterFailure?: string };
  readonly order?: RolloutPolicy['order'];
  readonly paused?: boolean;
  readonly maxUnavailable?: MaxUnavailable;
  /** Such as `15m`, which it is where the spec does not say. */
  readonly progressDeadline?: string;
  readonly minReadySeconds?: number;
}

/** How the members of one object are asked. */
export interface MemberChecks {
  readonly upgrade: SpecUpgrade | undefined;
  /** The port of checks that name none; undefined where they have to. */
  readonly port: number | undefined;
  /** The container of commands that name none. */
  readonly container: string;
  /** The gates where the spec names none. */
  readonly defaultGates: readonly SpecGate[];
  /** A duration of the spec in milliseconds; the default where there is none, or none that can be read. */
  readonly durationOf: (text: string | undefined, defaultMs: number) => number;
}

/** A gate, as far as the order of steps is concerned. */
export interface GateTarget {
  readonly name: string;
  /** `Once`: one answer for all, such as a Job's. */
  readonly target: 'Self' | 'Peers' | 'All' | 'Once';
}

/** What the rules of a rollout take from the spec. */
export interface RolloutPolicy {
  readonly gates: readonly GateTarget[];
  /** Which questions can be asked at all. */
  readonly can: { readonly role: boolean; readonly sync: boolean; readonly handoff: boolean };
  /** How long the operator waits at most before a question is asked again. */
  readonly askAgain?: AskAgain;
  readonly order: 'ReverseOrdinal' | 'LeaderLast';
  readonly paused: boolean;
  /** How many members may be unavailable at a time; absent: one. */
  readonly maxUnavailable?: number;
  /** How long the next member may take to come back as it should be, in milliseconds. */
  readonly deadlineMs: number;
  /** How long a member has to be ready before it counts, in milliseconds (`minReadySeconds`). */
  readonly minReadyMs?: number;
}

/** Whether anything is asked before a member goes down. */
export const asksFirst = ({ gates, can }: Pick<RolloutPolicy, 'gates' | 'can'>): boolean =>
  gates.length > 0 || can.handoff || can.sync;

/** The gates that apply: those of the spec, without any those of the kind. An empty list is a list. */
export function effectiveGates({ upgrade, defaultGates }: MemberChecks): readonly SpecGate[] {
  return upgrade?.gates ?? defaultGates;
}

/** How long the next member may take where the spec does not say, in milliseconds. */
export const defaultDeadlineMs = 15 * 60_000;

/**
 * What the rules of a rollout of this many members take from `spec.upgrade`, in their own units. Each field of it that is a value for a rule comes in here, and nowhere else. Pure.
 *
 * **Guarantees.** An absent field is what its schema says by default, also where no API server has filled it in. A duration that can't be read counts as absent: a spec that is invalid is reported, and not followed.
 */
export function policyOf(checks: MemberChecks, replicas: number): Required<RolloutPolicy> {
  const { upgrade = {}, durationOf } = checks;
  const { handoff, role, sync, askAgain, order, paused, maxUnavailable, progressDeadline, minReadySeconds } = upgrade;
  return {
    gates: effectiveGates(checks).map(({ name, target, job }) => ({ name, target: job ? 'Once' : target })),
    can: { role: role !== undefined, sync: sync !== undefined, handoff: handoff !== undefined },
    askAgain: {
      maxMs: durationOf(askAgain?.max, checkIntervalMs),
      maxAtGateMs: durationOf(askAgain?.max, gateIntervalMs),
      maxAfterFailureMs: durationOf(askAgain?.maxAfterFailure, failureIntervalMs),
    },
    order: order ?? 'ReverseOrdinal',
    paused: paused ?? false,
    maxUnavailable: maxUnavailableOf(maxUnavailable, replicas),
    deadlineMs: durationOf(progressDeadline, defaultDeadlineMs),
    minReadyMs: (minReadySeconds ?? 0) * 1000,
  };
}

/** `spec.upgrade` of an object, as far as it says what a kind does beside replacing members. `Task` is a Job as the spec has it. */
interface SpecSteps<Task> {
  readonly onFailure?: 'Stop' | 'Rollback' | undefined;
  readonly beforeFirstPod?: Task | undefined;
  readonly canary?:
    | {
        readonly replicas?: number;
        /** Such as `10m`. */
        readonly bake?: string;
        readonly promotion?: 'Automatic' | 'Manual';
        readonly analysis?: { readonly failureThreshold?: number; readonly job?: Task };
      }
    | undefined;
}

/** What a kind does beside replacing members. */
export interface UpgradeSteps<Task> {
  readonly onFailure: 'Stop' | 'Rollback';
  /** The Job that must succeed before the first member is replaced; undefined where there is none. */
  readonly beforeFirstPod: Task | undefined;
  /** How the first members are judged; undefined where none is. */
  readonly canary: CanarySteps<Task> | undefined;
}

/** How the first members are judged. */
interface CanarySteps<Task> {
  readonly replicas: number;
  readonly bakeMs: number;
  readonly isManual: boolean;
  readonly analysis: { readonly failureThreshold: number; readonly job: Task | undefined } | undefined;
}

/** What differs by kind. */
interface StepDefaults extends Pick<MemberChecks, 'durationOf'> {
  /** What becomes of a failed upgrade where the spec does not say. */
  readonly onFailure: 'Stop' | 'Rollback';
}

/** What a kind takes from `spec.upgrade` beside `policyOf`, in its own units. Each field of it that says what else is done comes in here, and nowhere else. Pure. */
export function stepsOf<Task>(upgrade: SpecSteps<Task> | undefined, defaults: StepDefaults): UpgradeSteps<Task> {
  const { onFailure = defaults.onFailure, beforeFirstPod, canary } = upgrade ?? {};
  return { onFailure, beforeFirstPod, canary: canary && canaryStepsOf(canary, defaults) };
}

function canaryStepsOf<Task>(
  { replicas = 1, bake, promotion, analysis }: NonNullable<SpecSteps<Task>['canary']>,
  { durationOf }: StepDefaults,
): CanarySteps<Task> {
  return {
    ...{ replicas, bakeMs: durationOf(bake, 0), isManual: promotion === 'Manual' },
    analysis: analysis && { failureThreshold: analysis.failureThreshold ?? 1, job: analysis.job },
  };
}
