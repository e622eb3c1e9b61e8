/**
 * What the page and its server say to each other, as JSON. It imports nothing, so that the page is compiled without the server: the compiler holds the statuses, plans and
 * predictions that the server answers with to these types.
 */

/** How a resource does, in one word: the page gives each a color and a sign. */
export type Tone = 'good' | 'busy' | 'waits' | 'bad';

/** What of the work on a resource is paused. */
export type Paused = 'all' | 'upgrades';

/** A line of the list. */
export interface Row {
  /** `KIND/NAMESPACE/NAME`. */
  readonly key: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly tone: Tone;
  readonly phase: string;
  readonly paused?: Paused | undefined;
  readonly version?: string | undefined;
  readonly target?: string | undefined;
  readonly ready?: number | undefined;
  readonly replicas?: number | undefined;
  readonly step?: string | undefined;
  /** Of an upgrade, from 0 to 1. */
  readonly done?: number | undefined;
  /** What it waits for, or how it has failed. */
  readonly says?: string | undefined;
}

/** Something that Kubernetes, or the operator, has said. */
export interface EventView {
  readonly at: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly note: string;
  /** `Pod sessions-1`. */
  readonly about: string;
  readonly count: number;
}

/** A verb that would do something now. */
export interface Action {
  readonly verb: string;
  /** What comes of it: the end of a sentence that begins with "This". */
  readonly does: string;
  /** The same for a terminal. */
  readonly command: string;
}

/** A member. */
export interface MemberShown {
  readonly name: string;
  readonly role?: string | undefined;
  readonly version: string;
  readonly state: 'ready' | 'not ready' | 'ending';
  readonly since?: string | undefined;
  /** The upgrade replaces it yet. */
  readonly outdated: boolean;
  readonly node?: string | undefined;
  readonly volumes: readonly {
    readonly name: string;
    readonly phase: string;
    readonly size?: string | undefined;
    readonly growsTo?: string | undefined;
  }[];
  readonly cause?: string | undefined;
}

/** A gate, and what it said last. */
export interface GateShown {
  readonly name: string;
  readonly target: string;
  readonly state: 'closed' | 'open' | 'open or not asked';
  readonly answer?: string | undefined;
  readonly since?: string | undefined;
  /** When it was asked for this answer, by the console. */
  readonly askedAt?: string | undefined;
}

/** A condition of a status. */
export interface ConditionShown {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** An upgrade that is under way, or has failed. */
interface UpgradeShown {
  readonly step: string;
  readonly pod?: string | undefined;
  readonly since?: string | undefined;
  readonly deadline?: string | undefined;
  readonly updated: number;
  readonly blockedBy?: string | undefined;
  readonly members?: readonly { readonly pod: string; readonly step: string }[] | undefined;
}

/** What `status` shows of a resource, as far as the page draws it. */
export interface StatusShown {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly deleting: boolean;
  readonly paused?: Paused | undefined;
  readonly facts: {
    readonly phase: string;
    readonly replicas?: number | undefined;
    readonly ready?: number | undefined;
    readonly version?: string | undefined;
    readonly target?: string | undefined;
    readonly upgrade?: UpgradeShown | undefined;
    readonly failure?: { readonly reason: string; readonly message: string } | undefined;
    readonly conditions: readonly ConditionShown[];
  };
  readonly estimate?: { readonly done: number; readonly endsAt?: string | undefined } | undefined;
  readonly workload?: { readonly name: string; readonly replicas: number } | undefined;
  readonly members: readonly MemberShown[];
  readonly gates: readonly GateShown[];
  readonly jobs: readonly {
    readonly name: string;
    readonly purpose: string;
    readonly state: 'running' | 'succeeded' | 'failed';
    readonly since?: string | undefined;
  }[];
  readonly external: readonly {
    readonly what: string;
    readonly id?: string | undefined;
    readonly at?: string | undefined;
  }[];
}

/** What `why` says. */
interface WhyShown {
  readonly waits: boolean;
  /** The end of a sentence that begins with its name. */
  readonly says: string;
  readonly since?: string | undefined;
  readonly commands: readonly string[];
  readonly hindrances: readonly {
    readonly about: string;
    readonly says: string;
    readonly since?: string | undefined;
    readonly command?: string | undefined;
  }[];
  readonly unread: readonly string[];
}

/** All that the page shows of one resource. */
export interface Detail {
  readonly key: string;
  readonly view: StatusShown;
  readonly why: WhyShown;
  readonly events: readonly EventView[];
  readonly actions: readonly Action[];
}

/** What is said once, at the beginning of a stream. */
export interface Hello {
  /** The API server, or the file of a history. */
  readonly of: string;
  /** Absent: all. */
  readonly namespace?: string | undefined;
  readonly version: string;
  /** The page may ask for writes. */
  readonly canWrite: boolean;
  /** A recorded history is shown, and no cluster. */
  readonly history?: HistoryShown | undefined;
}

/** A history that was recorded. Steps count the entries of its trace: at step 0 nothing has happened. */
export interface HistoryShown {
  readonly scenario: string;
  readonly seed: number;
  readonly faults: readonly string[];
  readonly violations: readonly { readonly oracle: string; readonly message: string; readonly step: number }[];
  readonly steps: number;
  /** The steps at which a fault has struck. */
  readonly struck: readonly number[];
}

/** One thing that happened in a history. */
export interface EntryShown {
  readonly index: number;
  /** Since the beginning, in milliseconds. */
  readonly afterMs: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly outcome?: string | undefined;
  /** After it, something was found to be wrong. */
  readonly isWrong: boolean;
}

/** What an operator knows at a step. */
export interface PartyShown {
  readonly name: string;
  readonly isRunning: boolean;
  readonly known: readonly {
    /** `pods sessions-2`. */
    readonly what: string;
    /** `gone`: it is taken for one that is there, and it is not. */
    readonly is: 'current' | 'behind' | 'not seen' | 'gone';
    /** How many changes of it the operator has not seen. */
    readonly behind: number;
  }[];
}

/** The answer to `GET /api/step`. */
export interface StepAnswer {
  /** The time of the history, in milliseconds since 1970. */
  readonly now: number;
  readonly step: number;
  readonly rows: readonly Row[];
  readonly detail?: Detail | undefined;
  /** Those before and after the step. */
  readonly entries: readonly EntryShown[];
  readonly parties: readonly PartyShown[];
}

/** What has changed in the list. `now`: the time of the cluster, in milliseconds since 1970. */
export interface RowsChanged {
  readonly now: number;
  /** These are all: what was known before is not any more. */
  readonly isAll: boolean;
  readonly rows: readonly Row[];
  /** Keys. */
  readonly gone: readonly string[];
  readonly unread: readonly string[];
}

/** The resource that is looked at has changed; absent: it is gone, or was never there. */
export interface DetailChanged {
  readonly now: number;
  readonly key: string;
  readonly detail?: Detail | undefined;
}

/** The answer to `GET /api/plan`: what the operator would do next. */
export interface PlanAnswer {
  readonly steps: readonly {
    readonly kind: 'action' | 'status' | 'event' | 'failure';
    readonly what: string;
    readonly because?: string | undefined;
  }[];
  readonly endsBefore?: string | undefined;
  /** What is on record of services outside, which are not asked. */
  readonly supposing: readonly string[];
  readonly looksAgainAfterMs?: number | undefined;
}

/** What `POST /api/what-if` asks. */
export interface WhatIfQuestion {
  /** YAML of one resource or several. */
  readonly manifest: string;
  /** How many histories with a fault beside it. */
  readonly faults: number;
}

/** One thing that would happen. */
export interface Happening {
  /** From the change on, in milliseconds. */
  readonly atMs: number;
  readonly about: string;
  readonly kind: 'step' | 'waits' | 'member' | 'job' | 'workload' | 'volume' | 'outcome' | 'fault';
  readonly what: string;
  readonly tookMs?: number;
  readonly command?: string;
}

/** The answer to it. Times are in milliseconds. */
export interface WhatIfAnswer {
  readonly ending: 'done' | 'failed' | 'stopped' | 'unfinished';
  readonly tookMs: number;
  readonly timeline: readonly Happening[];
  readonly outages: readonly { readonly member: string; readonly toMs?: number }[];
  readonly longestOutage?: { readonly member: string; readonly forMs: number } | undefined;
  readonly waits: readonly string[];
  readonly assumed: readonly string[];
  readonly faults?:
    | {
        readonly possible: number;
        readonly played: number;
        readonly keep: number;
        readonly done: number;
        readonly longest: { readonly what: string; readonly tookMs: number };
        readonly worst: {
          readonly what: string;
          readonly tookMs: number;
          readonly downMs: number;
          readonly broken: readonly string[];
          readonly timeline: readonly Happening[];
        };
      }
    | undefined;
}

/** What `POST /api/act` asks. `does`: what the user has confirmed; where it has become something else, nothing is written. */
export interface ActQuestion {
  readonly key: string;
  readonly verb: string;
  readonly does: string;
}

/** What every refusal looks like. */
export interface Refused {
  readonly error: string;
}
