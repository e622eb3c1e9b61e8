import { mergePatch } from '@ordinal/client';
import type { Action } from './action.ts';
import type { Decision } from './decision.ts';

const placeOf = ({
  namespace,
  name,
}: {
  readonly namespace?: string;
  readonly name?: string;
  readonly generateName?: string;
}): string => (namespace ? `${namespace}/${name}` : `${name}`);

/** These lines are logged: what opens something never stands in them, however deep in a call it lies. */
const withoutSecrets = (key: string, value: unknown): unknown =>
  /password|secret|credential/i.test(key) && value !== undefined ? '(left out)' : value;

/** Who manages which field is often the most of an object, and says nothing to a person. kubectl leaves it out too. */
const withoutManagedFields = (key: string, value: unknown): unknown => (key === 'managedFields' ? undefined : value);

/** One action in one line, without its reason, managed fields and secrets: `delete Pod shop/sessions-2`. */
export function describeAction<C>(action: Action<C>): string {
  switch (action.kind) {
    case 'apply':
    case 'create': {
      const { namespace, name, generateName } = action.object.metadata;
      return `${action.kind} ${action.descriptor.kind} ${placeOf({ ...(namespace ? { namespace } : {}), name: name ?? `${generateName ?? ''}*` })}`;
    }
    case 'delete':
      return `delete ${action.descriptor.kind} ${placeOf(action.target)}`;
    case 'addFinalizer':
      return `add finalizer ${action.finalizer} to ${action.descriptor.kind} ${placeOf(action.target)}`;
    case 'removeFinalizer':
      return `remove finalizer ${action.finalizer} from ${action.descriptor.kind} ${placeOf(action.target)}`;
    case 'annotate':
      return `annotate ${action.descriptor.kind} ${placeOf(action.target)} with ${Object.keys(action.annotations).join(', ')}`;
    case 'patch':
      return `patch ${action.descriptor.kind} ${placeOf(action.target)}: ${JSON.stringify(action.fields, withoutManagedFields)}`;
    case 'call':
      return `call ${typeof action.call === 'string' ? action.call : JSON.stringify(action.call, withoutSecrets)}`;
  }
}

/**
 * A decision as lines for a person: what would be done and why, in order, then the events, then when it would look again. A decision without any
 * effect has no lines but perhaps the last.
 */
export function plan<C>(decision: Decision<C>): string[] {
  const actions = decision.actions.map((action) => `${describeAction(action)}, because ${action.because}`);
  const patch = decision.status && mergePatch(decision.status.object.status, decision.status.status);
  const status = patch ? [`status ${JSON.stringify(patch)}`] : [];
  const events = (decision.events ?? []).map(({ type, reason, note }) => `event ${type} ${reason}: ${note}`);
  const again =
    decision.lookAgainAt === undefined ? [] : [`look again at ${new Date(decision.lookAgainAt).toISOString()}`];
  const inOrder = decision.status?.order === 'last' ? [...actions, ...status] : [...status, ...actions];
  return [...inOrder, ...events, ...again];
}
