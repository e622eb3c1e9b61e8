import { ApiError } from '@ordinal/client';
import type { TransportRequest } from '@ordinal/client';
import { authenticated } from '../identity.ts';
import type { Identity } from '../request.ts';
import type { ApiServer } from '../server.ts';
import { Refusal } from '../status.ts';
import type { Attributes } from './attributes.ts';
import { checkPermission } from './check.ts';
import { actingAs } from './impersonation.ts';

/** An access to a pod or service, and the request that asks for it. */
interface PodAccess {
  readonly request: Pick<TransportRequest, 'headers' | 'repeatedHeaders'>;
  readonly asked: Omit<Attributes, 'user' | 'group' | 'path'>;
}

/** Like `checkPermission` for those who answer in the server's place, and for whom the request acts as: throws an `ApiError`. */
export function permit(server: ApiServer, sender: Identity, { request, asked }: PodAccess): void {
  const attributes = { ...asked, group: '' };
  try {
    const user = actingAs(server, authenticated(sender), { ...request, asked: attributes });
    checkPermission(server, { ...attributes, user });
  } catch (error) {
    if (error instanceof Refusal) throw new ApiError(error.status, `${asked.verb} ${asked.resource}`);
    throw error;
  }
}
