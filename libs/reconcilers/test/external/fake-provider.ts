import type { Clock } from '@ordinal/client';
import type { SimulatedReply, SimulatedRequest } from '@ordinal/simulator';

/** One thing that a simulated provider keeps. */
export interface KeptThing {
  readonly id: string;
  readonly owner: string;
  readonly token: string;
  fields: Record<string, unknown>;
  /** Who may log in, where the provider keeps two logins. */
  readonly logins?: Map<string, FakeLogin>;
  readonly madeAt: number;
  readyAt: number;
  /** When its deletion was asked for, and when it is over. */
  deletingAt?: number;
  goneAt?: number;
  /** It could not be made, or has broken since. */
  isBroken?: boolean;
}

/** A login of a thing. */
export interface FakeLogin {
  readonly password: string;
  readonly endsAt?: number | undefined;
}

/** The two logins of each thing, the one that it is made with first. */
const loginNames = ['ordinal', 'ordinal2'] as const;

/** How good or bad a provider is. */
export interface ProviderProfile {
  /** Whether a repeated create with the same token gives the first one's thing back. */
  readonly tokens: boolean;
  /** For how long a new thing is missing in lists, in milliseconds. */
  readonly listLagMs: number;
  /** For how long `get` denies a new thing. */
  readonly denyMs: number;
  readonly createMs: number;
  readonly deleteMs: number;
}

/** The simulated operators are configured with this: what is shown may be 10 s old. */
const longestDenialMs = 8_000;

/** How long a window is in which calls are counted. */
const windowMs = 600_000;

/** So many calls in ten minutes are more than anything needs that pauses between them: a client that makes them asks on and on. */
export const maxCalls = 400;

/** A change at the provider, for checks. */
export interface ProviderEvent {
  readonly verb: 'create' | 'update' | 'delete';
  readonly thing: KeptThing;
}

/**
 * A simulated provider of things outside, behind HTTP: `POST /`, `GET /ID`, `GET /?owner=`, `PATCH /ID`, `DELETE /ID`. It keeps its state for as long as
 * the test, whatever happens to operators.
 */
export class FakeProvider {
  readonly things: KeptThing[] = [];
  readonly calls: Record<string, number> = {};
  /** The final snapshots that were asked for, each as often as it was taken. */
  readonly snapshots: string[] = [];
  /** Answers every call with this status, as long as it is set. */
  outage: number | undefined;
  /** Called with each call that is answered with one of these, or because of an outage. */
  onRefusal: (call: { readonly method: string; readonly status: number }) => void = () => undefined;
  /** Answers calls of these methods with these statuses. */
  readonly refused = new Map<string, number>();
  /** Keeps two logins of each thing that it makes with a password. */
  keepsTwoLogins = false;
  /** Until when it shows nothing of what there is: see `deny`. */
  deniedUntil = 0;
  /** The most calls that came within ten minutes. */
  busiest = 0;
  readonly profile: ProviderProfile;
  private recent: number[] = [];
  private readonly clock: Clock;
  private readonly listeners: ((event: ProviderEvent) => void)[] = [];

  constructor(clock: Clock, profile: ProviderProfile) {
    this.clock = clock;
    this.profile = profile;
  }

  /** Calls `listener` after every change that a client asked for. */
  watch(listener: (event: ProviderEvent) => void): void {
    this.listeners.push(listener);
  }

  /** What there is of an owner's, things that are on their way out among them. */
  of(owner: string): KeptThing[] {
    return this.present().filter((thing) => thing.owner === owner);
  }

  /** The login of a thing with this password; undefined where it is refused. A thing with one login asks for its password alone. */
  loginOf(
    thing: KeptThing,
    { username, password }: { readonly username: string; readonly password: string },
  ): FakeLogin | undefined {
    if (thing.logins === undefined) return thing.fields['password'] === password ? { password } : undefined;
    const login = thing.logins.get(username);
    const isEnded = login?.endsAt !== undefined && login.endsAt <= this.clock.now();
    return login?.password === password && !isEnded ? login : undefined;
  }

  /** Everything that is there now. */
  present(): KeptThing[] {
    const now = this.clock.now();
    return this.things.filter(({ goneAt }) => goneAt === undefined || goneAt > now);
  }

  /** Another client makes a resource, which carries no mark. */
  keep(fields: Record<string, unknown>): KeptThing {
    const now = this.clock.now();
    const thing = { id: `t${this.things.length + 1}`, owner: '', token: '', fields, madeAt: now, readyAt: now };
    this.things.push(thing);
    return thing;
  }

  /** A user deletes a resource by another way. */
  lose(owner: string): void {
    for (const thing of this.of(owner)) thing.goneAt = thing.deletingAt = this.clock.now();
  }

  /** A user deletes all but the first thing by another way. */
  leaveFirst(): void {
    for (const thing of this.present().slice(1)) thing.goneAt = thing.deletingAt = this.clock.now();
  }

  /** Shows nothing of what there is for less than the time for which it says that it may be wrong: the server that answers has not heard of it yet. */
  deny(): void {
    this.deniedUntil = this.clock.now() + longestDenialMs;
  }

  /** Answers a request. */
  readonly handle = ({ method, url, headers, body }: SimulatedRequest): SimulatedReply => {
    this.calls[method] = (this.calls[method] ?? 0) + 1;
    this.countRecent();
    const refusal = this.outage ?? this.refused.get(method);
    if (refusal !== undefined) {
      this.onRefusal({ method, status: refusal });
      return refusal;
    }
    const id = url.pathname.slice(1);
    if (method === 'POST') return this.create(JSON.parse(body) as Record<string, unknown>, headers);
    if (method === 'GET' && id === '') return this.list(url.searchParams);
    const thing = this.present().find((candidate) => candidate.id === id);
    const isDenied = thing !== undefined && this.isHidden(thing, this.profile.denyMs);
    if (thing === undefined || (isDenied && method === 'GET')) return 404;
    if (method === 'GET') return json(200, this.show(thing));
    if (method === 'PATCH') return this.change(thing, JSON.parse(body) as Record<string, unknown>);
    return this.remove(thing, url.searchParams.get('finalSnapshot'));
  };

  private countRecent(): void {
    const now = this.clock.now();
    this.recent = [...this.recent.filter((at) => at > now - windowMs), now];
    this.busiest = Math.max(this.busiest, this.recent.length);
  }

  private create(fields: Record<string, unknown>, headers: SimulatedRequest['headers']): SimulatedReply {
    const token = headers['idempotency-key'] ?? '';
    const earlier = this.profile.tokens ? this.things.find((thing) => thing.token === token) : undefined;
    if (earlier) return json(200, this.show(earlier));
    const now = this.clock.now();
    const owner = headers['x-owner'] ?? '';
    const thing: KeptThing = {
      id: `t${this.things.length + 1}`,
      owner,
      token,
      fields,
      ...(this.keepsTwoLogins && { logins: new Map([[loginNames[0], { password: String(fields['password']) }]]) }),
      madeAt: now,
      readyAt: now + this.profile.createMs,
    };
    this.things.push(thing);
    this.report('create', thing);
    return json(201, this.show(thing));
  }

  private list(query: URLSearchParams): SimulatedReply {
    const [owner, name] = [query.get('owner'), query.get('name')];
    const asked = this.present().filter((thing) =>
      name === null ? thing.owner === owner : thing.fields['displayName'] === name,
    );
    const shown = asked.filter((thing) => !this.isHidden(thing, this.profile.listLagMs));
    return json(
      200,
      shown.map((thing) => this.show(thing)),
    );
  }

  private isHidden({ madeAt }: KeptThing, lagMs: number): boolean {
    const now = this.clock.now();
    return now < this.deniedUntil || now < madeAt + lagMs;
  }

  private change(thing: KeptThing, changed: Record<string, unknown>): SimulatedReply {
    thing.fields = { ...thing.fields, ...(thing.logins ? this.changeLogins(thing.logins, changed) : changed) };
    this.report('update', thing);
    return 202;
  }

  /** Changes the logins that a change names. Returns the rest of it. */
  private changeLogins(
    logins: Map<string, FakeLogin>,
    { username = loginNames[0], password, formerLogin, ...rest }: Record<string, unknown>,
  ): Record<string, unknown> {
    if (password !== undefined) logins.set(String(username), { password: String(password) });
    if (formerLogin === undefined) return rest;
    const { name, endsInMs } = formerLogin as { readonly name: string; readonly endsInMs: number }; // Of the client of the same test.
    const login = logins.get(name);
    if (login && login.endsAt === undefined) logins.set(name, { ...login, endsAt: this.clock.now() + endsInMs });
    return rest;
  }

  private remove(thing: KeptThing, snapshot: string | null): SimulatedReply {
    if (thing.deletingAt === undefined) {
      if (snapshot !== null) this.snapshots.push(snapshot);
      thing.deletingAt = this.clock.now();
      thing.goneAt = thing.deletingAt + this.profile.deleteMs;
      this.report('delete', thing);
    }
    return 202;
  }

  private show(thing: KeptThing): object {
    const { id, owner, token, fields, readyAt, deletingAt, isBroken = false } = thing;
    const stateNow = isBroken ? 'failed' : this.clock.now() < readyAt ? 'pending' : 'ready';
    const state = deletingAt === undefined ? stateNow : 'deleting';
    const visible = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'password'));
    return {
      id,
      ...(owner === '' ? {} : { owner, token }),
      state,
      ...visible,
      ...(thing.logins && { logins: this.loginsShown(thing.logins) }),
      ...(state === 'ready' ? { host: `${id}.db.example`, port: 5432 } : {}),
    };
  }

  private loginsShown(logins: Map<string, FakeLogin>): readonly object[] {
    return loginNames.map((name) => {
      const login = logins.get(name);
      const endsInMs = login?.endsAt === undefined ? undefined : login.endsAt - this.clock.now();
      if (login === undefined || (endsInMs !== undefined && endsInMs <= 0)) return { name, state: 'closed' };
      return endsInMs === undefined ? { name, state: 'open' } : { name, state: 'ending', endsInMs };
    });
  }

  private report(verb: ProviderEvent['verb'], thing: KeptThing): void {
    for (const listener of this.listeners) listener({ verb, thing });
  }
}

const json = (status: number, body: unknown): SimulatedReply => ({ status, body: JSON.stringify(body) });
