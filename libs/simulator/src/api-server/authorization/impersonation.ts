import type { TransportRequest } from '@ordinal/client';
import { serviceAccountGroups, serviceAccountOf } from '../identity.ts';
import type { Identity } from '../request.ts';
import type { ApiServer } from '../server.ts';
import { badRequest, Refusal } from '../status.ts';
import type { Attributes } from './attributes.ts';
import { checkPermission, forbiddenBy } from './check.ts';

/** A user that the headers name: what they say, and no more. */
interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

type Headers = Pick<TransportRequest, 'headers' | 'repeatedHeaders'>;

const extraPrefix = 'impersonate-extra-';

/** All values of a header. Of one that is sent several times, Node's HTTP server makes one. */
function valuesOf({ headers, repeatedHeaders }: Headers, name: string): readonly string[] {
  const joined = headers?.[name]?.split(',').map((value) => value.trim()) ?? [];
  return [...joined, ...(repeatedHeaders?.[name] ?? [])].filter((value) => value !== '');
}

function wantedBy(request: Headers): Wanted | undefined {
  const { headers = {}, repeatedHeaders = {} } = request;
  const name = headers['impersonate-user'] ?? '';
  const uid = headers['impersonate-uid'] ?? '';
  const groups = valuesOf(request, 'impersonate-group');
  const keys = [...Object.keys(headers), ...Object.keys(repeatedHeaders)].filter((key) => key.startsWith(extraPrefix));
  const extra = Object.fromEntries(
    [...new Set(keys)].map((key) => [decoded(key.slice(extraPrefix.length)), valuesOf(request, key)]),
  );
  if (name !== '') return { name, uid, groups, extra };
  if (uid !== '' || groups.length > 0 || keys.length > 0)
    throw badRequest(`requested ${goText({ name, uid, groups, extra })} without impersonating a user name`);
  return undefined;
}

/** As Go's `%#v` shows it. */
function goText({ name, uid, groups, extra }: Wanted): string {
  const list = (values: readonly string[]): string =>
    `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
  const entries = Object.entries(extra).map(([key, values]) => `${JSON.stringify(key)}:${list(values)}`);
  const shown = [
    `Name:${JSON.stringify(name)}`,
    `UID:${JSON.stringify(uid)}`,
    `Groups:${groups.length === 0 ? '[]string(nil)' : list(groups)}`,
    `Extra:map[string][]string${entries.length === 0 ? '(nil)' : `{${entries.join(', ')}}`}`,
  ];
  return `&user.DefaultInfo{${shown.join(', ')}}`;
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Whether a request says that its sender acts as another user. */
export const namesAnother = ({ headers = {}, repeatedHeaders = {} }: Headers): boolean =>
  [headers, repeatedHeaders].some((map) => Object.keys(map).some((name) => name.startsWith('impersonate-')));

/** A way in which users may act as others, each with a verb of its own. The last is the one that there was before 1.36. */
interface Mode {
  readonly verb: string;
  /** The verb that has to be allowed for the request itself, before its own. */
  readonly prefix?: string;
  readonly applies: (wanted: Wanted) => boolean;
  /** The group of users and groups. */
  readonly group: string;
}

const nodePrefix = 'system:node:';
const isNode = ({ name }: Wanted): boolean => /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name.slice(nodePrefix.length));
const namesNode = (wanted: Wanted): boolean => wanted.name.startsWith(nodePrefix) && isNode(wanted);
const onlyNames = ({ uid, groups, extra }: Wanted): boolean =>
  uid === '' && groups.length === 0 && Object.keys(extra).length === 0;

const constrained = (mode: string, applies: Mode['applies']): Mode => ({
  verb: `impersonate:${mode}`,
  prefix: `impersonate-on:${mode}:`,
  group: 'authentication.k8s.io',
  applies,
});

const modes: readonly Mode[] = [
  constrained('arbitrary-node', (wanted) => onlyNames(wanted) && namesNode(wanted)),
  constrained('serviceaccount', (wanted) => onlyNames(wanted) && serviceAccountOf(wanted.name) !== undefined),
  constrained('user-info', (wanted) => !namesNode(wanted) && serviceAccountOf(wanted.name) === undefined),
  { verb: 'impersonate', group: '', applies: () => true },
];

/**
 * Whom a request acts as: who sent it, or the user that its headers name, where the sender may act as that one. Refuses others with 403, in the words about the
 * first way that was tried. The mode `associated-node`, for agents of a node, is left out.
 */
export function actingAs(
  server: ApiServer,
  sender: Identity,
  request: Headers & { readonly asked: Omit<Attributes, 'user'> },
): Identity {
  const wanted = wantedBy(request);
  if (wanted === undefined) return sender;
  let first: Refusal | undefined;
  for (const mode of modes) {
    if (!mode.applies(wanted)) continue;
    try {
      return impersonated(server, { sender, mode, wanted, asked: request.asked });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      first ??= error;
    }
  }
  throw first ?? badRequest('all impersonation modes failed');
}

interface Attempt {
  readonly sender: Identity;
  readonly mode: Mode;
  readonly wanted: Wanted;
  readonly asked: Omit<Attributes, 'user'>;
}

function impersonated(server: ApiServer, { sender, mode, wanted, asked }: Attempt): Identity {
  const { verb, prefix, group } = mode;
  const check = (attributes: Omit<Attributes, 'user'>): void =>
    checkPermission(server, { ...attributes, user: sender });
  if (prefix !== undefined) check({ ...asked, verb: `${prefix}${asked.verb}` });
  const place = { verb, group, namespace: '', subresource: '' };
  const account = serviceAccountOf(wanted.name);
  const isConstrainedNode = prefix !== undefined && namesNode(wanted);
  if (account !== undefined) check({ ...place, resource: 'serviceaccounts', ...account });
  else if (isConstrainedNode) check({ ...place, resource: 'nodes', name: wanted.name.slice(nodePrefix.length) });
  else check({ ...place, resource: 'users', name: wanted.name });
  const more = { ...place, group: 'authentication.k8s.io' };
  if (wanted.uid !== '') check({ ...more, resource: 'uids', name: wanted.uid });
  for (const name of wanted.groups) {
    if (prefix !== undefined && name === 'system:masters')
      checkNever({ ...place, resource: 'groups', name, user: sender });
    check({ ...place, resource: 'groups', name });
  }
  for (const [subresource, values] of Object.entries(wanted.extra))
    for (const name of values) check({ ...more, resource: 'userextras', subresource, name });
  const own = account === undefined ? [] : serviceAccountGroups(account.namespace);
  const groups = wanted.groups.length > 0 ? wanted.groups : isConstrainedNode ? ['system:nodes'] : own;
  return identityOf(wanted, groups);
}

/** No rule allows this in the modes that are constrained. */
function checkNever(attributes: Attributes): void {
  throw forbiddenBy(attributes, 'impersonating the system:masters group is not allowed');
}

function identityOf({ name, uid, extra }: Wanted, groups: readonly string[]): Identity {
  const everyone = name === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated';
  const isComplete = groups.includes(everyone) || groups.includes('system:unauthenticated');
  return {
    name,
    groups: isComplete ? groups : [...groups, everyone],
    ...(uid !== '' && { uid }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}
