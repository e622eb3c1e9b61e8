import type { DetailChanged, Hello, PlanAnswer, Row, StepAnswer, Tone, WhatIfAnswer } from '../src/console/wire.ts';
import { firstLines } from './model/listed.ts';
import type { Route } from './model/route.ts';

/** Something that was asked of the server. */
export type Asked<T> =
  | { readonly is: 'not asked' }
  | { readonly is: 'under way' }
  | { readonly is: 'answered'; readonly answer: T }
  | { readonly is: 'failed'; readonly error: string };

/** How the stream is. */
export type Link = 'connecting' | 'live' | 'lost' | 'refused';

/** What is asked before something is written. */
export interface Confirmation {
  readonly key: string;
  readonly verb: string;
  readonly does: string;
  readonly command: string;
  readonly outcome: Asked<string>;
}

/** All that the page is drawn from. */
export interface State {
  readonly link: Link;
  readonly hello?: Hello | undefined;
  readonly rows: ReadonlyMap<string, Row>;
  readonly unread: readonly string[];
  readonly detail?: DetailChanged | undefined;
  readonly route: Route;
  /** Of the list. */
  readonly search: string;
  readonly only?: Tone | undefined;
  /** How many lines are drawn: those in view at first, then all. */
  readonly lines: number;
  readonly plan: Asked<PlanAnswer>;
  readonly manifest: Asked<string>;
  readonly faults: number;
  readonly whatIf: Asked<WhatIfAnswer>;
  readonly confirmation?: Confirmation | undefined;
  /** Where a recorded history is looked at, and what was there. */
  readonly step: number;
  readonly moment?: StepAnswer | undefined;
  /** Why the step that is chosen is not shown. */
  readonly stepError?: string | undefined;
  /** The command that was copied last. */
  readonly copied?: string | undefined;
  /** The time of the cluster less that of the browser, in milliseconds. */
  readonly clockOffsetMs: number;
}

/** What a user can do. */
export interface Actions {
  readonly search: (text: string) => void;
  readonly showOnly: (tone: Tone | undefined) => void;
  readonly copy: (command: string) => void;
  readonly confirm: (about: Omit<Confirmation, 'outcome'>) => void;
  readonly act: () => void;
  readonly dismiss: () => void;
  readonly askPlan: () => void;
  readonly changeManifest: (text: string) => void;
  readonly resetManifest: () => void;
  readonly chooseFaults: (count: number) => void;
  readonly askWhatIf: () => void;
  readonly goTo: (step: number) => void;
  readonly changeTheme: () => void;
}

/** What a view is drawn with. */
export interface Scene {
  readonly state: State;
  readonly actions: Actions;
  /** The time of the cluster, in milliseconds since 1970. */
  readonly now: number;
}

/** Nothing was asked. */
export const notAsked = { is: 'not asked' } as const;

/** Before the server has said anything. */
export const firstState: State = {
  ...{ link: 'connecting', rows: new Map(), unread: [], route: { tab: 'now' }, search: '', lines: firstLines },
  ...{ plan: notAsked, manifest: notAsked, whatIf: notAsked, faults: 0, clockOffsetMs: 0, step: 0 },
};
