import { ApiError } from '@ordinal/client';
import type { TransportRequest } from '@ordinal/client';
import type { Connection } from '../admission/connections.ts';
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

/** Like `checkPermission` for those who answer in the server's place, and for whom the request acts as: throws an `ApiError`. Gives that user. */
export function permit(server: ApiServer, sender: Identity, { request, asked }: PodAccess): Identity {
  const attributes = { ...asked, group: '' };
  try {
    const user = actingAs(server, authenticated(sender), { ...request, asked: attributes });
    checkPermission(server, { ...attributes, user });
    return user;
  } catch (error) {
    throw inReply(error, `${asked.verb} ${asked.resource}`);
  }
}

/** Asks admission whether there may be a connection, for those who answer in the server's place: rejects with an `ApiError` where not. */
export async function admit(server: ApiServer, connection: Connection): Promise<void> {
  try {
    await server.connect(connection);
  } catch (error) {
    throw inReply(error, `connect ${connection.resource}`);
  }
}

const inReply = (error: unknown, request: string): unknown =>
  error instanceof Refusal ? new ApiError(error.status, request) : error;
