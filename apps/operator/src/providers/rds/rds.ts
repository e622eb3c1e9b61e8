import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import {
  CreateDBInstanceCommand,
  DeleteDBInstanceCommand,
  DescribeDBInstancesCommand,
  ModifyDBInstanceCommand,
  RDSClient,
  RDSServiceException,
} from '@aws-sdk/client-rds';
import type { DBInstance } from '@aws-sdk/client-rds';
import type { ExternalErrorCode } from '@ordinal/lifecycle';
import { ExternalError } from '@ordinal/lifecycle';
import type { DatabaseRequest, DatabaseView } from '@ordinal/reconcilers';
import type { DatabaseCalls } from '../on-demand.ts';
import { boundReplies } from './bounded-reply.ts';

/** An AWS account and region. */
export interface RdsOptions {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** Another endpoint than the region's. */
  readonly endpoint?: string | undefined;
  /** Resolves the endpoint's host, and checks what it resolves to, at each connection. */
  readonly lookup: LookupFunction;
  readonly callTimeoutMs: number;
}

const classes = { small: 'db.t4g.micro', medium: 'db.m7g.large', large: 'db.m7g.2xlarge' } as const;
const storageGiB = { small: 20, medium: 100, large: 400 } as const;

const ownerTag = 'ordinal.dev/owner';
const tokenTag = 'ordinal.dev/token';

/** The identifier follows from the token, so that RDS itself refuses a second instance. */
const identifierOf = (token: string): string => `ordinal-${token.toLowerCase()}`.slice(0, 63);

/** How many incarnations of an owner's database are looked for: RDS finds instances by whole identifiers only. */
const incarnations = 20;

const pending = new Set([
  'creating',
  'modifying',
  'backing-up',
  'rebooting',
  'starting',
  'upgrading',
  'renaming',
  'maintenance',
  'resetting-master-credentials',
]);
const failed = /^(failed|incompatible-|inaccessible-|restore-error|storage-full)/;

/** The provider that makes AWS RDS instances. */
export function rds(options: RdsOptions): DatabaseCalls {
  const { region, accessKeyId, secretAccessKey, sessionToken, endpoint, lookup, callTimeoutMs } = options;
  const connections = { keepAlive: true, maxSockets: 50, lookup };
  const client = new RDSClient({
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    ...(endpoint === undefined ? {} : { endpoint }),
    // Repeating is the engine's work: it looks before it does.
    maxAttempts: 1,
    requestHandler: { httpAgent: new HttpAgent(connections), httpsAgent: new HttpsAgent(connections) },
  });
  boundReplies(client);
  const limited = (signal: AbortSignal) => ({
    abortSignal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]),
  });
  const describe = async (identifier: string, signal: AbortSignal): Promise<DatabaseView | undefined> => {
    const reply = await sent(
      () => client.send(new DescribeDBInstancesCommand({ DBInstanceIdentifier: identifier }), limited(signal)),
      'DBInstanceNotFoundFault',
    );
    const [instance] = reply?.DBInstances ?? [];
    return instance && viewOf(instance);
  };
  return {
    get: describe,
    findByName: describe,
    async findByOwner(owner, signal) {
      const identifiers = Array.from({ length: incarnations }, (_, index) => identifierOf(`${owner}-${index + 1}`));
      const filters = { Filters: [{ Name: 'db-instance-id', Values: identifiers }] };
      const reply = await sent(
        () => client.send(new DescribeDBInstancesCommand(filters), limited(signal)),
        'DBInstanceNotFoundFault',
      );
      return (reply?.DBInstances ?? []).map(viewOf).filter((view) => view.owner === owner);
    },
    async create({ token, owner, desired }, signal) {
      const identifier = identifierOf(token);
      const command = new CreateDBInstanceCommand({
        DBInstanceIdentifier: identifier,
        Engine: desired.engine,
        DBInstanceClass: classes[desired.size],
        AllocatedStorage: storageGiB[desired.size],
        DBName: 'app',
        MasterUsername: desired.username,
        MasterUserPassword: desired.password,
        StorageEncrypted: true,
        PubliclyAccessible: false,
        Tags: [
          { Key: ownerTag, Value: owner },
          { Key: tokenTag, Value: token },
        ],
      });
      const reply = await sent(() => client.send(command, limited(signal)), 'DBInstanceAlreadyExistsFault');
      const view = reply?.DBInstance
        ? { ...viewOf(reply.DBInstance), owner, token }
        : await describe(identifier, signal);
      if (view === undefined)
        throw new ExternalError('Unavailable', `RDS says that ${identifier} exists, and does not show it`);
      if (view.owner !== owner)
        throw new ExternalError('NameTaken', `the RDS instance ${identifier} is not ours`, { applied: 'no' });
      return view;
    },
    async update(id, change, signal) {
      await sent(() => client.send(modification(id, change), limited(signal)));
    },
    async delete({ id, finalSnapshot }, signal) {
      const last =
        finalSnapshot === undefined ? { SkipFinalSnapshot: true } : { FinalDBSnapshotIdentifier: finalSnapshot };
      const command = new DeleteDBInstanceCommand({ DBInstanceIdentifier: id, ...last });
      try {
        await sent(() => client.send(command, limited(signal)), 'DBInstanceNotFoundFault');
      } catch (error) {
        // RDS answers so for one that is being deleted already, too.
        if (!(error instanceof ExternalError) || error.code !== 'Busy') throw error;
        const view = await describe(id, signal);
        if (view !== undefined && view.state !== 'deleting') throw error;
      }
    },
  };
}

const modification = (id: string, { size, password }: Partial<DatabaseRequest>): ModifyDBInstanceCommand =>
  new ModifyDBInstanceCommand({
    DBInstanceIdentifier: id,
    ApplyImmediately: true,
    ...(size === undefined ? {} : { DBInstanceClass: classes[size] }),
    ...(password === undefined ? {} : { MasterUserPassword: password }),
  });

function viewOf(instance: DBInstance): DatabaseView {
  const tag = (key: string): string | undefined => instance.TagList?.find(({ Key }) => Key === key)?.Value;
  const status = instance.DBInstanceStatus ?? 'creating';
  const size = Object.entries(classes).find(([, name]) => name === instance.DBInstanceClass)?.[0];
  return {
    id: instance.DBInstanceIdentifier ?? '',
    owner: tag(ownerTag),
    token: tag(tokenTag),
    state: stateOf(status),
    detail: status,
    engine: instance.Engine,
    // While a change is under way, RDS still shows the old class.
    size:
      instance.PendingModifiedValues?.DBInstanceClass === undefined ? (size ?? instance.DBInstanceClass) : undefined,
    host: instance.Endpoint?.Address,
    port: instance.Endpoint?.Port,
    database: instance.DBName,
    username: instance.MasterUsername,
  };
}

function stateOf(status: string): DatabaseView['state'] {
  if (status === 'deleting') return 'deleting';
  if (failed.test(status)) return 'failed';
  return pending.has(status) || status.startsWith('configuring-') ? 'pending' : 'ready';
}

const codes: Readonly<Record<string, ExternalErrorCode>> = {
  AccessDenied: 'Forbidden',
  AccessDeniedException: 'Forbidden',
  AuthFailure: 'Unauthorized',
  ExpiredToken: 'Unauthorized',
  InvalidClientTokenId: 'Unauthorized',
  SignatureDoesNotMatch: 'Unauthorized',
  UnrecognizedClientException: 'Unauthorized',
  DBInstanceAlreadyExistsFault: 'NameTaken',
  InstanceQuotaExceededFault: 'QuotaExceeded',
  StorageQuotaExceededFault: 'QuotaExceeded',
  InsufficientDBInstanceCapacityFault: 'QuotaExceeded',
  InvalidDBInstanceStateFault: 'Busy',
  RequestLimitExceeded: 'RateLimited',
  Throttling: 'RateLimited',
  ThrottlingException: 'RateLimited',
};

/** Sends, and turns failures into ours. An answer with the `expected` fault is undefined. */
async function sent<T>(send: () => Promise<T>, expected?: string): Promise<T | undefined> {
  try {
    return await send();
  } catch (cause) {
    if (cause instanceof ExternalError) throw cause;
    const names = nameOf(cause);
    if (expected !== undefined && names.includes(expected)) return undefined;
    throw errorOf(cause, names);
  }
}

/** A fault's name; the query protocol leaves "Fault" off on the wire. */
function nameOf(cause: unknown): readonly string[] {
  const name = cause instanceof Error ? cause.name : '';
  return [name, name.endsWith('Fault') ? name.slice(0, -'Fault'.length) : `${name}Fault`];
}

function errorOf(cause: unknown, names: readonly string[]): ExternalError {
  const message = `RDS: ${cause instanceof Error ? cause.message : String(cause)}`;
  if (!(cause instanceof RDSServiceException)) {
    const code = names.includes('AbortError') || names.includes('TimeoutError') ? 'TimedOut' : 'Unreachable';
    const isUnsent =
      cause instanceof Error && 'code' in cause && ['ECONNREFUSED', 'ENOTFOUND'].includes(String(cause.code));
    return new ExternalError(code, message, { applied: isUnsent ? 'no' : 'unknown', cause });
  }
  const status = cause.$metadata.httpStatusCode ?? 500;
  const known = names.map((name) => codes[name]).find((code) => code !== undefined);
  const code = known ?? (status < 500 ? 'Refused' : 'Unavailable');
  return new ExternalError(code, message, { applied: status < 500 ? 'no' : 'unknown', cause });
}
