import { abortable } from '../node/abortable.ts';
import type { FetchLike } from '../node/fetch-like.ts';
import type { Incarnation } from './incarnation.ts';
import type { OperatorCall, Verdict } from './operator-call.ts';

/** What an operator's `fetch` works with. */
export interface OperatorFetchOptions {
  readonly inner: FetchLike;
  readonly incarnation: Incarnation;
  readonly before: (
    method: string,
    url: string,
  ) => { readonly call: OperatorCall; readonly verdict: Verdict | undefined };
  readonly after: (call: OperatorCall) => Verdict | undefined;
}

/** An operator's `fetch`: nothing comes back to a process that has ended, and faults can strike before each call and after it. */
export function operatorFetch({ inner, incarnation, before, after }: OperatorFetchOptions): FetchLike {
  return (url, init = {}) =>
    abortable(init.signal, ({ resolve, reject }) => {
      if (!incarnation.isAlive) return;
      const { call, verdict } = before((init.method ?? 'GET').toUpperCase(), new URL(url).href);
      const receive = (reply: Response): void => {
        const afterwards = after(call);
        if (afterwards === undefined) incarnation.enter(() => resolve(reply));
        else if ('delayMs' in afterwards) incarnation.after(afterwards.delayMs, 'slow reply', () => resolve(reply));
        else if ('lose' in afterwards) incarnation.enter(() => reject(connectionLost('ECONNRESET')));
      };
      const send = (): void => {
        inner(url, init).then(receive, (error: unknown) => incarnation.enter(() => reject(error as Error)));
      };
      if (verdict === undefined) send();
      else if ('delayMs' in verdict) incarnation.after(verdict.delayMs, 'slow request', send);
      else if ('status' in verdict)
        incarnation.after(2, 'external reply', () => resolve(new Response('', { status: verdict.status })));
      else if ('lose' in verdict)
        incarnation.after(1, 'external failure', () => reject(connectionLost('ECONNREFUSED')));
    });
}

function connectionLost(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}
