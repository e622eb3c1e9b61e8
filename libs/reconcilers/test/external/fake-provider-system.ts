import { joinSignals } from '@ordinal/client';
import type { OperatorEnvironment } from '@ordinal/simulator';
import type { ExternalErrorCode, ExternalSystem, ExternalView, Traits } from '@ordinal/lifecycle';
import { ExternalError } from '@ordinal/lifecycle';
import type { ProviderProfile } from './fake-provider.ts';

const codes: Readonly<Record<number, ExternalErrorCode>> = {
  400: 'Refused',
  401: 'Unauthorized',
  403: 'Forbidden',
  405: 'Unsupported',
  409: 'Busy',
  429: 'RateLimited',
  501: 'Unsupported',
};

/** The client of a simulated provider, over the simulation's network. */
export function fakeProviderSystem<Desired extends object, View extends ExternalView>(
  origin: string,
  profile: ProviderProfile,
  { http, clock }: Pick<OperatorEnvironment, 'http' | 'clock'>,
): ExternalSystem<Desired, View> {
  const traits: Traits = {
    repeatedCreate: profile.tokens ? 'returnsFirst' : 'makesAnother',
    settleMs: 10_000,
    callTimeoutMs: 5_000,
  };
  const ask = async (
    method: string,
    path: string,
    { signal, body, headers = {} }: { signal: AbortSignal; body?: unknown; headers?: Record<string, string> },
  ): Promise<{ status: number; body: unknown }> => {
    const limit = new AbortController();
    const either = joinSignals(signal, limit.signal);
    const timer = clock.after(traits.callTimeoutMs, () =>
      limit.abort(new ExternalError('TimedOut', `${method} ${path} took too long`)),
    );
    try {
      const options = {
        method,
        headers,
        signal: either.signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      };
      const reply = await http(`${origin}/${path}`, options);
      const text = await reply.text();
      return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) };
    } catch (cause) {
      throw cause instanceof ExternalError
        ? cause
        : new ExternalError('Unreachable', `${method} ${path} failed`, { cause });
    } finally {
      timer.cancel();
      either.release();
    }
  };
  const failure = (status: number, what: string): ExternalError => {
    const isRefusal = status >= 400 && status < 500;
    return new ExternalError(codes[status] ?? 'Unavailable', `${what}: HTTP ${status}`, {
      applied: isRefusal ? 'no' : 'unknown',
    });
  };
  return {
    traits,
    async get(id, signal) {
      const { status, body } = await ask('GET', id, { signal });
      if (status === 404) return undefined;
      if (status !== 200) throw failure(status, `get ${id}`);
      return body as View; // The provider of the same test answers.
    },
    async findByOwner(owner, signal) {
      const { status, body } = await ask('GET', `?owner=${owner}`, { signal });
      if (status === 404) throw new ExternalError('Unsupported', 'there is no look-up by owner', { applied: 'no' });
      if (status !== 200) throw failure(status, `find by owner ${owner}`);
      return body as readonly View[];
    },
    async findByName(name, signal) {
      const { status, body } = await ask('GET', `?name=${name}`, { signal });
      if (status !== 200) throw failure(status, `find by name ${name}`);
      return (body as readonly View[])[0];
    },
    async create({ token, owner, desired }, signal) {
      const { status, body } = await ask('POST', '', {
        signal,
        body: desired,
        headers: { 'idempotency-key': token, 'x-owner': owner },
      });
      if (status >= 300) throw failure(status, 'create');
      return body as View;
    },
    async update(id, change, signal) {
      const { status } = await ask('PATCH', id, { signal, body: change });
      if (status >= 300) throw failure(status, `update ${id}`);
    },
    async delete({ id, finalSnapshot }, signal) {
      const query = finalSnapshot === undefined ? '' : `?finalSnapshot=${finalSnapshot}`;
      const { status } = await ask('DELETE', `${id}${query}`, { signal });
      if (status >= 300 && status !== 404) throw failure(status, `delete ${id}`);
    },
  };
}
