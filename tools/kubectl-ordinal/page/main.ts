import { render } from 'lit-html';
import type {
  ActQuestion,
  DetailChanged,
  Hello,
  PlanAnswer,
  Row,
  RowsChanged,
  StepAnswer,
  WhatIfAnswer,
  WhatIfQuestion,
} from '../src/console/wire.ts';
import { linesNext } from './model/listed.ts';
import { routeOf, tokenIn } from './model/route.ts';
import { Server } from './server.ts';
import type { Actions, Asked, State } from './state.ts';
import { firstState, notAsked } from './state.ts';
import { nextTheme, showTheme } from './theme.ts';
import { appView } from './views/app.ts';
import { defineMemberLanes } from './views/member-lanes.ts';

/** Where the token is kept as long as the tab is open: no other origin, and no other port, can read it. */
const tokenItem = 'ordinal-token';

/** The token of this tab. It is taken out of the address bar: what is copied from there opens nothing. */
function tokenOfTab(): string {
  const given = tokenIn(location.hash);
  if (given !== undefined) {
    sessionStorage.setItem(tokenItem, given);
    history.replaceState(undefined, '', '#/');
  }
  return sessionStorage.getItem(tokenItem) ?? '';
}

/** The page: draws its state, and changes it by what the server and the user say. */
class OrdinalConsole extends HTMLElement {
  #state: State = firstState;
  #isDue = false;
  #following = new AbortController();
  #server = new Server('');
  #asksStep = false;
  #drawnMoment: StepAnswer | undefined;

  connectedCallback(): void {
    showTheme();
    this.#server = new Server(tokenOfTab());
    this.#set({ route: routeOf(location.hash) });
    this.#follow();
    addEventListener('hashchange', () => this.#go());
    setInterval(() => this.#draw(), 1_000);
  }

  #set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    this.#draw();
  }

  #draw(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      const state = this.#state;
      // The time of a history stands still.
      const now = state.moment?.now ?? Date.now() + state.clockOffsetMs;
      render(appView({ state, actions: this.#actions, now }), this);
      if (state.moment !== this.#drawnMoment) this.#toCurrentEntry();
      this.#drawnMoment = state.moment;
      this.#drawRest();
    });
  }

  /** Hundreds of lines take longer than one picture may: what is in view is drawn before the rest. */
  #drawRest(): void {
    const { lines: drawn, rows } = this.#state;
    const lines = linesNext(drawn, rows.size);
    if (lines !== drawn) this.#set({ lines });
  }

  /** The trace shows the step in its middle; the page stays where it is. */
  #toCurrentEntry(): void {
    const entry = this.querySelector<HTMLElement>('.trace .current');
    const list = entry?.parentElement;
    if (entry && list) list.scrollTop = entry.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  #go(): void {
    const before = this.#state.route;
    const route = routeOf(location.hash);
    const isOther = route.key !== before.key;
    this.#set({ route, ...(isOther && { detail: undefined, plan: notAsked, manifest: notAsked, whatIf: notAsked }) });
    if (isOther) this.#follow();
    this.#load();
    requestAnimationFrame(() => this.querySelector<HTMLElement>('h1')?.focus());
  }

  /** What a tab needs that the stream does not bring. */
  #load(): void {
    const { route, plan, manifest, hello } = this.#state;
    if (hello?.history) {
      void this.#showStep();
      return;
    }
    if (route.tab === 'plan' && plan.is === 'not asked') this.#actions.askPlan();
    if (route.tab === 'what-if' && manifest.is === 'not asked') this.#actions.resetManifest();
  }

  #follow(): void {
    this.#following.abort();
    this.#following = new AbortController();
    const { signal } = this.#following;
    void this.#server.follow(this.#state.route.key, signal, {
      link: (link) => this.#set({ link }),
      hello: (hello: Hello) => {
        this.#set({ hello, link: 'live' });
        if (hello.history && !this.#state.moment) this.#set({ step: hello.history.violations[0]?.step ?? 0 });
        this.#load();
      },
      rows: (changed: RowsChanged) => this.#rows(changed),
      detail: (detail: DetailChanged) => this.#set({ detail, clockOffsetMs: detail.now - Date.now() }),
    });
  }

  /** Asks for the step that is chosen; those that were chosen while an answer was under way are passed over. */
  async #showStep(): Promise<void> {
    if (this.#asksStep) return;
    this.#asksStep = true;
    for (let isShown = false; !isShown;) {
      const { step, route } = this.#state;
      const asked = await this.#server.step(step, route.key);
      if (asked.is === 'answered') this.#moment(asked.answer, route.key);
      this.#set({ stepError: asked.is === 'failed' ? asked.error : undefined });
      isShown = this.#state.step === step && this.#state.route.key === route.key;
    }
    this.#asksStep = false;
  }

  #moment(moment: StepAnswer, key: string | undefined): void {
    const { now, rows, detail } = moment;
    const shown = key === undefined ? undefined : { now, key, ...(detail && { detail }) };
    this.#set({ moment, rows: new Map(rows.map((row) => [row.key, row])), detail: shown });
  }

  #rows({ now, isAll, rows, gone, unread }: RowsChanged): void {
    const all = new Map<string, Row>(isAll ? [] : this.#state.rows);
    for (const row of rows) all.set(row.key, row);
    for (const key of gone) all.delete(key);
    this.#set({ rows: all, unread, clockOffsetMs: now - Date.now() });
  }

  readonly #actions: Actions = {
    search: (search) => this.#set({ search }),
    showOnly: (only) => this.#set({ only }),
    copy: (command) => {
      void navigator.clipboard.writeText(command).then(() => this.#set({ copied: command }));
    },
    confirm: (about) => this.#set({ confirmation: { ...about, outcome: notAsked } }),
    dismiss: () => this.#set({ confirmation: undefined }),
    act: () => {
      const { confirmation } = this.#state;
      if (!confirmation) return;
      const { key, verb, does } = confirmation;
      const question: ActQuestion = { key, verb, does };
      this.#set({ confirmation: { ...confirmation, outcome: { is: 'under way' } } });
      void this.#server.ask<{ readonly does: string }>('/api/act', question).then((asked) => {
        const outcome = asked.is === 'answered' ? { is: asked.is, answer: asked.answer.does } : asked;
        this.#set({ confirmation: { ...confirmation, outcome } });
      });
    },
    askPlan: () => this.#about<PlanAnswer>('plan', (plan) => ({ plan })),
    resetManifest: () =>
      this.#about<{ readonly text: string }>('manifest', (asked) => ({
        manifest: asked.is === 'answered' ? { is: asked.is, answer: asked.answer.text } : asked,
      })),
    changeManifest: (answer) => this.#set({ manifest: { is: 'answered', answer } }),
    chooseFaults: (faults) => this.#set({ faults }),
    askWhatIf: () => {
      const { manifest, faults, route } = this.#state;
      if (manifest.is !== 'answered') return;
      this.#set({ whatIf: { is: 'under way' } });
      const question: WhatIfQuestion = { manifest: manifest.answer, faults };
      void this.#server.ask<WhatIfAnswer>('/api/what-if', question).then((whatIf) => {
        if (this.#state.route.key === route.key) this.#set({ whatIf });
      });
    },
    goTo: (step) => {
      const { steps = 0 } = this.#state.hello?.history ?? {};
      this.#set({ step: Math.min(steps, Math.max(0, step)) });
      void this.#showStep();
    },
    changeTheme: () => {
      nextTheme();
      this.#draw();
    },
  };

  /** Asks something about the resource that is looked at, unless another one is by then. */
  #about<T>(what: 'plan' | 'manifest', change: (asked: Asked<T>) => Partial<State>): void {
    const { key } = this.#state.route;
    if (key === undefined) return;
    this.#set(change({ is: 'under way' }));
    void this.#server.look<T>(`/api/${what}`, key).then((asked) => {
      if (this.#state.route.key === key) this.#set(change(asked));
    });
  }
}

defineMemberLanes();
customElements.define('ordinal-console', OrdinalConsole);
