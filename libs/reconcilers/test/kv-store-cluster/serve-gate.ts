import { DisruptionGate } from '@ordinal/lifecycle';
import { readReview, reviewReply } from '@ordinal/runtime/webhooks';
import { protectClusters } from '../../src/kv-store-cluster/disruption.ts';
import { answered, operator, readerOf } from '../clustered-cache/drain-world.ts';
import { seals } from '../operator/parts.ts';
import type { KVStoreOperatorParts } from './kv-store-world.ts';

/** The gate that the operator answers with. */
export function serveGate({ manager, client, probes, environment: { clock, serve } }: KVStoreOperatorParts): void {
  const gate = new DisruptionGate({
    ...{ client, probes, outside: manager.outside, clock, operator },
    protection: protectClusters({ reader: readerOf(manager, 'kv-store-cluster'), seals }),
  });
  serve(answered, async ({ body }) => {
    const request = readReview(body);
    const verdict = await gate.admit(request, new AbortController().signal);
    return { status: 200, body: JSON.stringify(reviewReply(request.uid, verdict)) };
  });
}
