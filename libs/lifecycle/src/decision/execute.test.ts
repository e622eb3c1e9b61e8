import type { Client, KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import { ApiError, TransportError } from '@ordinal/client';
import type { EventRecord } from '@ordinal/runtime';
import { describe, expect, test } from 'vitest';
import type { Decision } from './decision.ts';
import { unsealed } from './decision.ts';
import type { ExecuteOptions, ExecutionContext } from './execute.ts';
import { execute as carryOut } from './execute.ts';
import type { ActionError } from './failure.ts';
import { plan } from './plan.ts';
import { seenOf } from './action.ts';

/** Carries a decision out, and leaves its status unsealed. */
const execute = <C = never>(decision: Decision<C>, context: ExecutionContext, options: ExecuteOptions<C> = {}) =>
  carryOut(decision, context, { seal: unsealed, ...options });

const pods: ResourceDescriptor = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' };
const pod: KubernetesObject & { status?: unknown } = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'a-0',
    namespace: 'shop',
    uid: 'u0',
    resourceVersion: '7',
    creationTimestamp: '',
    finalizers: ['theirs'],
  },
  status: { phase: 'Running', gone: 1 },
};

const status = (code: number, reason: string) =>
  new ApiError({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason }, 'test');

/**
 * A context whose client records each write and answers with the next resource version, or with what `fail` returns for the verb. Who looks finds `found`.
 */
function recording(fail: (verb: string) => Error | undefined = () => undefined, found: KubernetesObject | null = pod) {
  const writes: unknown[][] = [];
  const events: EventRecord[] = [];
  let version = 7;
  const write = (verb: string, ...what: unknown[]): Promise<KubernetesObject> => {
    writes.push([verb, ...what]);
    const error = fail(verb);
    version += 1;
    return error
      ? Promise.reject(error)
      : Promise.resolve({ ...pod, metadata: { ...pod.metadata, resourceVersion: String(version) } });
  };
  const resource = {
    apply: (object: unknown, options: { force: boolean }) => write('apply', object, options.force),
    create: (object: unknown) => write('create', object),
    delete: (name: string, options: { preconditions: unknown }) => write('delete', name, options.preconditions),
    patch: (name: string, patch: { body?: unknown; operations?: unknown }) =>
      write('patch', name, patch.body ?? patch.operations),
    status: { patch: (name: string, patch: { body: unknown }) => write('status', name, patch.body) },
    find: () => Promise.resolve(found ?? undefined),
  };
  const client = (() => ({ in: () => resource })) as unknown as Client; // The verbs that execute uses, and no others.
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent, child: () => log };
  const controller = new AbortController();
  const clock = { now: () => 1000, after: () => ({ cancel: silent }) };
  const context = {
    client,
    clock,
    log,
    signal: controller.signal,
    events: { publish: (event: EventRecord) => events.push(event) },
  };
  return { writes, events, context, controller };
}

const hold = {
  kind: 'addFinalizer',
  descriptor: pods,
  target: seenOf(pod),
  finalizer: 'ours',
  because: 'it is next',
} as const;
const remove = { kind: 'delete', descriptor: pods, target: seenOf(pod), because: 'its gates are open' } as const;

test.each([
  ['has lost a finalizer', { finalizers: ['theirs', 'ours'] }],
  ['has another spec', { generation: 2 }],
  ['is another object of its name', { uid: 'u1' }],
])(
  'nothing follows a status that was written on what %s, as a restored store gives versions out again',
  async (_what, seen) => {
    const { context, writes } = recording();
    const object = { ...pod, metadata: { ...pod.metadata, ...seen } };
    const decision: Decision = {
      actions: [{ kind: 'delete', descriptor: pods, target: seenOf(pod), because: 'it is outdated' }],
      status: { descriptor: pods, object, status: { phase: 'Pending' } },
    };
    await expect(execute(decision, context)).rejects.toMatchObject({ code: 'Stale' });
    expect(writes.map(([verb]) => verb)).toEqual(['status']);
  },
);

describe('execute', () => {
  test('writes the status before the actions, and later patches on what our own writes have made of the object', async () => {
    const { writes, context } = recording();
    const decision: Decision = {
      actions: [hold, remove],
      status: { descriptor: pods, object: pod, status: { phase: 'Failed' } },
    };
    await execute(decision, context);
    expect(writes).toEqual([
      ['status', 'a-0', { metadata: { resourceVersion: '7' }, status: { phase: 'Failed', gone: null } }],
      ['patch', 'a-0', { metadata: { finalizers: ['theirs', 'ours'], resourceVersion: '8' } }],
      ['delete', 'a-0', { uid: 'u0' }],
    ]);
  });

  test('writes nothing where the status is the same', async () => {
    const { writes, context } = recording();
    await execute(
      { actions: [], status: { descriptor: pods, object: pod, status: { gone: 1, phase: 'Running' } } },
      context,
    );
    expect(writes).toEqual([]);
  });

  const unchanged = { descriptor: pods, object: pod, status: { phase: 'Running', gone: 1 } };
  const other = { ...remove, target: { ...remove.target, name: 'a-1', uid: 'u1' } };
  const later = { ...pod, metadata: { ...pod.metadata, resourceVersion: '9' } };

  test('clears the error of an earlier reconcile once all else has succeeded, and does not write that twice', async () => {
    const processingError = { reason: 'Refused', message: 'no', since: '1970-01-01T00:00:00Z' };
    const failed = { ...pod, status: { phase: 'Running', processingError } };
    const wanted = { descriptor: pods, status: { phase: 'Running' } };
    const { writes, context } = recording();
    await execute({ actions: [hold], status: { ...wanted, object: failed } }, context);
    expect(writes.map(([verb]) => verb)).toEqual(['status', 'patch', 'status']);
    expect(writes.at(-1)?.[2]).toMatchObject({ status: { processingError: null } });
    const again = recording();
    await execute({ actions: [], status: { ...wanted, object: { ...pod, status: wanted.status } } }, again.context);
    expect(again.writes).toEqual([]);
  });

  test('does nothing to others where there is no status to write and the subject has changed', async () => {
    const { writes, events, context } = recording(undefined, later);
    const decision: Decision = {
      actions: [other],
      status: unchanged,
      events: [{ type: 'Normal', reason: 'Done', note: 'x' }],
    };
    await expect(execute(decision, context)).rejects.toMatchObject({ code: 'Stale' });
    expect([writes, events]).toEqual([[], []]);
  });

  test('does it where the subject is as it was seen', async () => {
    const { writes, context } = recording();
    await execute({ actions: [other], status: unchanged }, context);
    expect(writes.map(([verb]) => verb)).toEqual(['delete']);
  });

  const absent = { kind: 'apply', descriptor: pods, object: { ...pod }, onlyIfAbsent: true, because: 'new' } as const;

  // Found by the search (KVStoreCluster, two leaders): a StatefulSet that was not seen yet was given the template of before.
  test('does not write over what was not seen to exist', async () => {
    const { writes, context } = recording();
    await expect(execute({ actions: [absent] }, context)).rejects.toMatchObject({ code: 'Stale' });
    expect(writes).toEqual([]);
  });

  test('applies what does not exist', async () => {
    const { writes, context } = recording(undefined, null);
    await execute({ actions: [absent] }, context);
    expect(writes.map(([verb]) => verb)).toEqual(['apply']);
  });

  test('does not look again at a subject that is all that is acted on', async () => {
    const { writes, context } = recording(undefined, later);
    await execute({ actions: [hold], status: unchanged }, context);
    expect(writes.map(([verb]) => verb)).toEqual(['patch']);
  });

  test('adds no finalizer that is there, and removes none that is not', async () => {
    const { writes, context } = recording();
    await execute(
      {
        actions: [
          { ...hold, finalizer: 'theirs' },
          { ...hold, kind: 'removeFinalizer' },
        ],
      },
      context,
    );
    expect(writes).toEqual([]);
  });

  test('tells of what a create has made before the next action, and of a failure to tell as one of the create', async () => {
    const { writes, context } = recording();
    const create = { kind: 'create', descriptor: pods, object: pod, because: 'it is due' } as const;
    const heard: unknown[] = [];
    const created = (made: KubernetesObject) => {
      heard.push([made.metadata.resourceVersion, writes.length]);
      return heard.length === 2 ? Promise.reject(status(409, 'Conflict')) : Promise.resolve();
    };
    await execute({ actions: [create, hold] }, context, { created });
    expect(heard).toEqual([['8', 1]]);
    await expect(execute({ actions: [create, hold] }, context, { created })).rejects.toMatchObject({ code: 'Stale' });
    expect(writes.map(([verb]) => verb)).toEqual(['create', 'patch', 'create']);
  });

  describe('a finalizer that goes whatever else has changed', () => {
    const release = { ...hold, kind: 'removeFinalizer', finalizer: 'theirs', whateverElseChanged: true } as const;

    test('is taken off on the condition that object and finalizers are those that were seen', async () => {
      const { writes, context } = recording();
      await execute({ actions: [release] }, context);
      const path = '/metadata/finalizers';
      expect(writes).toEqual([
        [
          'patch',
          'a-0',
          [
            { op: 'test', path: '/metadata/uid', value: 'u0' },
            { op: 'test', path, value: ['theirs'] },
            { op: 'remove', path },
          ],
        ],
      ]);
    });

    test('is looked at again where they are not', async () => {
      const { context } = recording(() => status(422, 'Invalid'));
      await expect(execute({ actions: [release] }, context)).rejects.toMatchObject({ code: 'Stale' });
    });
  });

  test.each([
    ['a delete', 'delete', [remove]],
    ['the removal of a finalizer', 'patch', [{ ...hold, kind: 'removeFinalizer', finalizer: 'theirs' } as const]],
  ])('takes %s of an object that is gone for done', async (_what, verb, actions) => {
    const { context } = recording((called) => (called === verb ? status(404, 'NotFound') : undefined));
    await expect(execute({ actions }, context)).resolves.toEqual({});
  });

  test.each([
    [status(409, 'Conflict'), 'Stale', 'backoff'],
    [status(409, 'AlreadyExists'), 'Stale', 'backoff'],
    [status(403, 'Forbidden'), 'Refused', 'wait'],
    [status(422, 'Invalid'), 'Refused', 'terminal'],
    [new TransportError('TimedOut', 'no reply'), 'Unreachable', 'backoff'],
  ])('ends at the first failure and tells its class: %s', async (cause, code, retry) => {
    const { writes, events, context } = recording((verb) => (verb === 'patch' ? cause : undefined));
    const decision: Decision = {
      actions: [hold, remove],
      events: [{ type: 'Normal', reason: 'Done', note: '', regarding: pod }],
    };
    await expect(execute(decision, context)).rejects.toMatchObject({ code, retry, cause });
    expect(writes).toHaveLength(1);
    expect(events).toEqual([]);
  });

  describe('after a failure', () => {
    const service = { ...absent, neededBy: 'nothing' } as const;
    const release = { ...hold, kind: 'removeFinalizer', finalizer: 'theirs', needs: 'nothing' } as const;
    const refusing = (refused: Readonly<Record<string, Error>>) => recording((verb) => refused[verb], null);

    test('goes on where no other action needs what has failed, and reports it in the end', async () => {
      const { writes, context } = refusing({ apply: status(403, 'Forbidden') });
      await expect(execute({ actions: [service, hold, remove] }, context)).rejects.toMatchObject({ code: 'Refused' });
      expect(writes.map(([verb]) => verb)).toEqual(['apply', 'patch', 'delete']);
    });

    test('carries out what needs nothing, and nothing else', async () => {
      const { writes, context } = refusing({ apply: status(403, 'Forbidden') });
      await expect(execute({ actions: [absent, release, remove] }, context)).rejects.toMatchObject({ code: 'Refused' });
      expect(writes.map(([verb]) => verb)).toEqual(['apply', 'patch']);
    });

    test('holds back what comes after several of which one is needed', async () => {
      const { writes, context } = refusing({ patch: status(403, 'Forbidden') });
      const finish = { ...hold, kind: 'removeFinalizer', finalizer: 'theirs' } as const;
      await expect(execute({ actions: [release, release, finish] }, context)).rejects.toThrow('2 actions failed');
      expect(writes).toHaveLength(2);
    });

    test('tells of all that have failed, and waits no longer than for the first of them to be tried again', async () => {
      const { context } = refusing({ apply: status(422, 'Invalid'), patch: status(403, 'Forbidden') });
      await expect(execute({ actions: [service, release] }, context)).rejects.toMatchObject({
        code: 'Refused',
        retry: 'wait',
        message: expect.stringMatching(
          /^2 actions failed: apply Pod shop\/a-0: .*; remove finalizer theirs from/,
        ) as string,
      });
    });

    test.each([
      ['an old view', status(409, 'Conflict'), 'Stale'],
      ['the end of its time', new TransportError('Aborted', 'stop'), 'Aborted'],
    ])('ends with %s, whatever failed before and whoever needs it', async (_what, cause, code) => {
      const { writes, context } = refusing({ apply: status(403, 'Forbidden'), patch: cause });
      const last = { ...release, neededBy: 'nothing' } as const;
      await expect(execute({ actions: [service, last, release] }, context)).rejects.toMatchObject({ code });
      expect(writes).toHaveLength(2);
    });

    test.each([
      ['as it was decided', [service, hold], 5000],
      ['not, where something was held back: that waits for the next try', [absent, hold], undefined],
    ])('says that it is to be looked at again %s', async (_when, actions, expected) => {
      const { context } = refusing({ apply: status(403, 'Forbidden') });
      const failure = await execute({ actions, lookAgainAt: 5000 }, context).catch((cause: unknown) => cause);
      expect((failure as ActionError).lookAgainAt).toBe(expected);
    });
  });

  test('sends nothing once the signal is aborted', async () => {
    const { writes, context, controller } = recording();
    controller.abort(new Error('leadership lost'));
    await expect(execute({ actions: [remove] }, context)).rejects.toMatchObject({ code: 'Aborted' });
    expect(writes).toEqual([]);
  });

  test('makes calls through what it is given, and publishes events about the subject of the status', async () => {
    const { events, context } = recording();
    const called: string[] = [];
    const decision: Decision<string> = {
      actions: [{ kind: 'call', call: 'ping', because: 'why not' }],
      status: { descriptor: pods, object: pod, status: { phase: 'Running', gone: 1 } },
      events: [{ type: 'Normal', reason: 'Pinged', note: 'once' }],
      lookAgainAt: 1500,
    };
    const result = await execute(decision, context, { call: (call) => Promise.resolve(void called.push(call)) });
    expect(called).toEqual(['ping']);
    expect(events).toMatchObject([{ reason: 'Pinged', regarding: { metadata: { name: 'a-0' } } }]);
    expect(result).toEqual({ requeueAfterMs: 500 });
  });
});

test('the next look is not put off by a clock that is set back while the decision is carried out', async () => {
  const { context } = recording();
  let now = 10_000;
  const clock = { ...context.clock, now: () => now };
  const call = (): Promise<void> => Promise.resolve(void (now = 0));
  const decision: Decision<string> = {
    actions: [{ kind: 'call', call: 'ping', because: 'why not' }],
    lookAgainAt: 10_500,
  };
  expect(await execute(decision, { ...context, clock }, { call })).toEqual({ requeueAfterMs: 500 });
});

test('plan prints what would be done, why, and when it would look again', () => {
  const decision: Decision = {
    actions: [hold, remove],
    status: { descriptor: pods, object: pod, status: { phase: 'Failed' } },
    lookAgainAt: 0,
  };
  expect(plan(decision)).toEqual([
    'status {"phase":"Failed","gone":null}',
    'add finalizer ours to Pod shop/a-0, because it is next',
    'delete Pod shop/a-0, because its gates are open',
    'look again at 1970-01-01T00:00:00.000Z',
  ]);
});
