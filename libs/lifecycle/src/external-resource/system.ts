/** A thing outside the cluster, as its provider (a cloud, a monitoring service) shows it. */
export interface ExternalView {
  /** The provider's ID. It never changes and is never given twice. */
  readonly id: string;
  /** The owner that it was made for; undefined where it was not made through this interface. */
  readonly owner?: string | undefined;
  /** The idempotency token that it was made with. */
  readonly token?: string | undefined;
  /** `pending`: being made or changed. `deleting`: on its way out, for good. `failed`: will not become ready by itself. */
  readonly state: 'pending' | 'ready' | 'deleting' | 'failed';
  /** The provider's own word for the state, shown to people. */
  readonly detail?: string | undefined;
}

/** What the engine has to know of a provider in order to be safe with it. */
export interface Traits {
  /**
   * What a second `create` with the same token does. `returnsFirst`: gives what the first one made, be it by the token or by a name derived from it.
   * `makesAnother`: the provider knows no tokens; then a create is repeated only after everything that the first one may have made must have shown.
   */
  readonly repeatedCreate: 'returnsFirst' | 'makesAnother';
  /** How long after the end of a create its result may still be missing in `get` and `findByOwner`, in milliseconds. */
  readonly settleMs: number;
  /** How long one call may take before it fails with `TimedOut`, in milliseconds. */
  readonly callTimeoutMs: number;
}

/** What is to be made. */
export interface CreateRequest<Desired> {
  readonly token: string;
  /** Whom it is made for; `findByOwner` finds it by this. */
  readonly owner: string;
  readonly desired: Desired;
}

/** What is to be deleted, and how. */
export interface DeleteRequest {
  readonly id: string;
  /** The name of a final snapshot to take first; taken once however often the request is repeated. */
  readonly finalSnapshot?: string | undefined;
}

/**
 * A provider of things outside the cluster: a cloud's databases, a monitoring service's entries. Small on purpose: everything that is hard (when
 * to call, when to repeat, when to believe) is in the engine. `conformanceOf` tests an implementation.
 *
 * Every failure is thrown as an `ExternalError`, with `applied: 'no'` only where the provider certainly has not done what was asked. All calls end within
 * `traits.callTimeoutMs`.
 */
export interface ExternalSystem<Desired, View extends ExternalView> {
  readonly traits: Traits;
  /** The thing with this ID; undefined where the provider says that there is none. */
  get(id: string, signal: AbortSignal): Promise<View | undefined>;
  /** Everything that was made for the owner, also what is being deleted. */
  findByOwner(owner: string, signal: AbortSignal): Promise<readonly View[]>;
  /** The thing that people know by this name, also where another client made it. Absent where things can't be imported. */
  findByName?(name: string, signal: AbortSignal): Promise<View | undefined>;
  /** Makes it; it may be `pending` on return. */
  create(request: CreateRequest<Desired>, signal: AbortSignal): Promise<View>;
  /** Asks for the given fields to be changed. Safe to repeat. */
  update(id: string, change: Partial<Desired>, signal: AbortSignal): Promise<void>;
  /** Asks for it to be deleted; it may be `deleting` on return. That there is no such thing is a success; so is that it is being deleted. */
  delete(request: DeleteRequest, signal: AbortSignal): Promise<void>;
}
