import type { Status } from '@ordinal/client';
import type { InterceptedRequest, SimulatedCluster } from '@ordinal/simulator';

const forbidden: Status = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code: 403,
  reason: 'Forbidden',
  message: 'no',
};

/** From now on the API server refuses these requests with `answer`, by default as a quota or a policy does. Returns how to end that. */
export function refuse(
  cluster: SimulatedCluster,
  isRefused: (request: InterceptedRequest) => boolean,
  answer: Partial<Pick<Status, 'code' | 'reason' | 'message'>> = {},
): () => void {
  return cluster.server.intercept({
    before: (request) => (isRefused(request) ? { refuse: { ...forbidden, ...answer } } : undefined),
  });
}
