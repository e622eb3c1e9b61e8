import type { Client, Pod } from '@ordinal/client';
import { ApiError } from '@ordinal/client';
import { durationOf } from '@ordinal/constructs';
import type { Answer, Check, HttpProbeReply, Probes } from '@ordinal/lifecycle';
import { ask, askAll } from '@ordinal/lifecycle';
import type { OrdinalResource } from '../kinds.ts';
import type { AskedCheck } from './checks.ts';
import { checksOf } from './checks.ts';
import { readingProbes } from './reading-probes.ts';

/** What a member has said to a check, or why it says nothing. */
export interface MemberAnswer {
  /** The resource, by name. */
  readonly of: string;
  readonly check: AskedCheck;
  readonly member: string;
  readonly uid: string;
  /** Absent where the member was not asked, or could not be reached from here. */
  readonly said?: { readonly answer: Answer; readonly reply: HttpProbeReply } | undefined;
  /** Why it was not asked; empty where it was. */
  readonly unasked: string;
}

/** What is asked of members as they are: a hand-off would change them, and an analysis is of members that are not there yet. */
const rolesAsked: readonly AskedCheck['role'][] = ['gate', 'role', 'sync'];

/** How long a member may take where the spec does not say, in milliseconds. */
const defaultTimeoutMs = 10_000;

/** The check as the operator puts it. Undefined where it is put to no member: a Job, a label, or a request without a port. */
function putAs({
  path,
  port,
  scheme = 'HTTP',
  method = 'GET',
  command,
  metric,
  timeout,
}: AskedCheck): Check | undefined {
  const timeoutMs = durationOf(timeout, defaultTimeoutMs);
  if (command) return { kind: 'exec', timeoutMs, exec: { command, container: '' } };
  if (path === undefined || port === undefined) return undefined;
  const request = { path, port, scheme, method, via: 'Proxy' } as const;
  return metric
    ? { kind: 'metric', timeoutMs, metric: { request, ...metric } }
    : { kind: 'http', timeoutMs, http: request };
}

/** A pod that was reached and does not listen: it says no, in the words of the API server, which reached it. */
const refusal = /connection refused/;

/** One member's answer. What the API server can't reach, the operator may: it says nothing of the member. */
async function answerOf(
  check: AskedCheck,
  { metadata }: Pod,
  { client, signal }: Asking,
): Promise<Omit<MemberAnswer, 'of'> | undefined> {
  const put = putAs(check);
  if (put === undefined) return undefined;
  const { name, namespace = '', uid } = metadata;
  let unasked = '';
  let reply: HttpProbeReply | undefined;
  const reading = readingProbes(client, (because) => new Error((unasked = because)));
  const probes: Probes = {
    ...reading,
    http: async (...request) => {
      try {
        return (reply = await reading.http(...request));
      } catch (error) {
        if (error instanceof ApiError && refusal.test(error.message))
          return (reply = { status: error.status.code, body: error.status.message ?? '' });
        throw error;
      }
    },
  };
  const answer = await ask(put, { namespace, name }, { probes, signal, outside: (call) => call() });
  if (reply) return { check, member: name, uid, said: { answer, reply }, unasked: '' };
  return { check, member: name, uid, unasked: unasked === '' ? `${name} gives ${answer.message}` : unasked };
}

interface Asking {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** Which checks of a resource are asked. */
interface Selection {
  readonly but?: readonly string[];
  readonly roles?: readonly AskedCheck['role'][];
}

/**
 * Asks these members all that is asked of them before one goes down, by GET alone and through the API server, as `plan` does. Commands, requests that change something, and what you
 * may not ask are named instead. `but`: the checks by these names are not asked; `roles`: those of other roles neither. Never rejects.
 */
export async function askMembers(
  resource: OrdinalResource,
  members: readonly Pod[],
  { but = [], roles = rolesAsked, ...asking }: Asking & Selection,
): Promise<readonly MemberAnswer[]> {
  const checks = checksOf(resource).filter(({ role, name }) => roles.includes(role) && !but.includes(name));
  const questions = checks.flatMap((check) => members.map((member) => ({ check, member })));
  const answers = await askAll(questions, ({ check, member }) => answerOf(check, member, asking));
  return answers.flatMap((answer) => (answer ? [{ of: resource.metadata.name, ...answer }] : []));
}

/** Whether a member has said yes. */
export const saysYes = ({ said }: MemberAnswer): boolean => said?.answer.ok === true;
