import type { MemberProtection, Seals } from '@ordinal/lifecycle';
import { DisruptionGate } from '@ordinal/lifecycle';
import type { CacheReader } from '@ordinal/runtime';
import { readReview, reviewReply } from '@ordinal/runtime/webhooks';
import { answered, operator, readerOf } from '../clustered-cache/drain-world.ts';
import type { OperatorParts } from '../operator/parts.ts';
import { seals } from '../operator/parts.ts';

/** What protects the members of a kind, and the name of the controller whose cache it reads. */
interface ProtectedMembers {
  readonly controller: string;
  readonly protect: (options: { readonly reader: CacheReader; readonly seals: Seals }) => MemberProtection;
}

/** Answers the API server about deletions and evictions of the members of a kind, beside its controller. */
export const serveGate =
  ({ controller, protect }: ProtectedMembers) =>
  ({ manager, client, probes, environment: { clock, serve } }: OperatorParts): void => {
    const gate = new DisruptionGate({
      ...{ client, probes, outside: manager.outside, clock, operator },
      protection: protect({ reader: readerOf(manager, controller), seals }),
    });
    serve(answered, async ({ body }) => {
      const request = readReview(body);
      const verdict = await gate.admit(request, new AbortController().signal);
      return { status: 200, body: JSON.stringify(reviewReply(request.uid, verdict)) };
    });
  };
