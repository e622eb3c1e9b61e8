import type { JobInput } from '@ordinal/client';
import { failureIntervalMs, gateIntervalMs } from './ask-again.ts';
import type { AskAgain } from './ask-again.ts';
import type { GateTarget, RolloutObservation } from './observation.ts';

/** What a check of a spec says, whatever it is for. */
export interface SpecCheck {
  readonly http?: {
    readonly path: string;
    readonly port?: number;
    readonly scheme?: 'HTTP' | 'HTTPS';
    readonly method?: 'GET' | 'POST';
    readonly via?: 'PodIP' | 'Proxy';
  };
  readonly exec?: { readonly command: readonly string[]; readonly container?: string };
  readonly metric?: {
    readonly path: string;
    readonly port?: number;
    readonly scheme?: 'HTTP' | 'HTTPS';
    readonly via?: 'PodIP' | 'Proxy';
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly max: string | number;
  };
  /** Such as `10s`. */
  readonly timeout?: string;
}

/** A gate as a spec has it: a check of members, or a Job. */
export interface SpecGate extends SpecCheck {
  readonly name: string;
  readonly target: 'Self' | 'Peers' | 'All';
  /** The whole spec of a Job. */
  readonly job?: { readonly template: NonNullable<JobInput['spec']> };
}

/** The fields of a spec that say how members are asked: the same in every kind. */
export interface SpecChecks {
  readonly gates?: readonly SpecGate[];
  readonly handoff?: SpecCheck;
  /** Who leads: by the label of its pod, or by what it answers. */
  readonly role?: SpecCheck & { readonly label?: string; readonly leaderValue?: string };
  readonly sync?: SpecCheck;
  /** How canaries are judged, where they are asked themselves. */
  readonly canary?: { readonly analysis?: SpecCheck };
  readonly askAgain?: { readonly max?: string; readonly maxAfterFailure?: string };
}

/** How the members of one object are asked. */
export interface MemberChecks {
  readonly upgrade: SpecChecks | undefined;
  /** The port of checks that name none; undefined where they have to. */
  readonly port: number | undefined;
  /** The container of commands that name none. */
  readonly container: string;
  /** The gates where the spec names none. */
  readonly defaultGates: readonly SpecGate[];
  /** Reads a duration of the spec. */
  readonly milliseconds: (duration: string) => number;
}

/** The gates that apply: those of the spec, without any those of the kind. An empty list is a list. */
export function effectiveGates({ upgrade, defaultGates }: MemberChecks): readonly SpecGate[] {
  return upgrade?.gates ?? defaultGates;
}

/** The gates, as far as the order of steps is concerned. */
function gateTargets(checks: MemberChecks): GateTarget[] {
  return effectiveGates(checks).map(({ name, target, job }) => ({ name, target: job ? 'Once' : target }));
}

/** How long the operator waits at most before a question is asked again. */
function askAgainOf({ upgrade, milliseconds }: MemberChecks): AskAgain {
  const { max, maxAfterFailure } = upgrade?.askAgain ?? {};
  return {
    maxMs: max === undefined ? gateIntervalMs : milliseconds(max),
    maxAfterFailureMs: maxAfterFailure === undefined ? failureIntervalMs : milliseconds(maxAfterFailure),
  };
}

/** What a rollout has to know of the checks, beside the answers: which gates there are, what can be asked, and how often. */
export function observeChecks(checks: MemberChecks): Required<Pick<RolloutObservation, 'gates' | 'can' | 'askAgain'>> {
  const { handoff, role, sync } = checks.upgrade ?? {};
  return {
    gates: gateTargets(checks),
    can: { role: role !== undefined, sync: sync !== undefined, handoff: handoff !== undefined },
    askAgain: askAgainOf(checks),
  };
}
