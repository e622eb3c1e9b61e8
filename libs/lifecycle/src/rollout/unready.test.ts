import type { Pod } from '@ordinal/client';
import { expect, test } from 'vitest';
import { unreadyCause, unreadyReason } from './unready.ts';

type Status = NonNullable<Pod['status']>;
type ContainerStatus = NonNullable<Status['containerStatuses']>[number];

const unready = {
  type: 'Ready',
  status: 'False',
  reason: 'ContainersNotReady',
  message: 'containers with unready status: [cache]',
};

const container = (rest: Partial<ContainerStatus>): ContainerStatus => ({
  ...{ name: 'cache', image: 'cache:2', imageID: '', ready: false, restartCount: 0 },
  ...rest,
});

const podOf = (status: Status): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a-0', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { containers: [] },
  status: { conditions: [unready], ...status },
});

const causeOf = (...containerStatuses: ContainerStatus[]): string | undefined =>
  unreadyCause(podOf({ containerStatuses }));

const pullError = 'failed to pull and unpack image "cache:2": not found';

test('an image that can’t be pulled is the cause, in the same words in both states of the kubelet', () => {
  const failing = causeOf(container({ state: { waiting: { reason: 'ErrImagePull', message: pullError } } }));
  const message = `Back-off pulling image "cache:2": ErrImagePull: ${pullError}`;
  expect(causeOf(container({ state: { waiting: { reason: 'ImagePullBackOff', message } } }))).toBe(failing);
  expect(failing).toBe(`container cache can’t pull its image “cache:2” (ImagePullBackOff): “${pullError}”`);
  const older = 'Back-off pulling image "cache:2"';
  expect(causeOf(container({ state: { waiting: { reason: 'ImagePullBackOff', message: older } } }))).toBe(
    'container cache can’t pull its image “cache:2” (ImagePullBackOff)',
  );
});

test('a container that ends over and over is the cause, with its last message, in the same words while it waits and while it runs', () => {
  const terminated = { exitCode: 1, reason: 'Error', message: 'no such option: --eager\nusage: …' };
  const pause = { reason: 'CrashLoopBackOff', message: 'back-off 20s restarting failed container=cache' };
  const waiting = container({ state: { waiting: pause }, lastState: { terminated }, restartCount: 1 });
  const running = container({ state: { running: {} }, lastState: { terminated }, restartCount: 2 });
  expect(causeOf(waiting)).toBe(
    'container cache has ended with exit code 1 (Error) and is restarted (CrashLoopBackOff): “no such option: --eager”',
  );
  expect(causeOf(running)).toBe(causeOf(waiting));
});

test('one that was restarted once, as after the restart of a node, does not loop', () => {
  const once = container({ state: { running: {} }, lastState: { terminated: { exitCode: 255 } }, restartCount: 1 });
  expect(causeOf(once)).toBe('container cache has ended with exit code 255 and is restarted');
});

test('other reasons to wait are the cause, with the kubelet’s message', () => {
  const waiting = { reason: 'CreateContainerConfigError', message: 'secret "key" not found' };
  expect(causeOf(container({ state: { waiting } }))).toBe(
    'container cache waits: CreateContainerConfigError: “secret "key" not found”',
  );
});

test('the scheduler’s words are the cause', () => {
  const message = '0/3 nodes are available: 3 Insufficient memory.';
  const scheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
  expect(unreadyCause(podOf({ conditions: [scheduled] }))).toBe(
    'it is not scheduled (Unschedulable): “0/3 nodes are available: 3 Insufficient memory.”',
  );
});

test('an init container that can’t start comes before the containers that wait for it; one that has completed does not', () => {
  const wait = container({ state: { waiting: { reason: 'PodInitializing' } } });
  const config = { reason: 'CreateContainerConfigError', message: 'no' };
  const failing = container({ name: 'init', state: { waiting: config } });
  const done = container({ name: 'init', state: { terminated: { exitCode: 0 } } });
  const of = (init: ContainerStatus): string | undefined =>
    unreadyCause(podOf({ initContainerStatuses: [init], containerStatuses: [wait] }));
  expect(of(failing)).toBe('container init waits: CreateContainerConfigError: “no”');
  expect(of(done)).toBeUndefined();
});

test('a usual start has no cause; where it is final, the kubelet’s words are the reason', () => {
  const starting = podOf({ containerStatuses: [container({ state: { running: {} } })] });
  expect(unreadyCause(starting)).toBeUndefined();
  expect(unreadyReason(starting)).toBe('ContainersNotReady: “containers with unready status: [cache]”');
});

test('a ready pod has neither, also where a sidecar was restarted before', () => {
  const terminated = { exitCode: 1 };
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  const ready = podOf({ ...status, containerStatuses: [container({ ready: true, lastState: { terminated } })] });
  expect([unreadyCause(ready), unreadyReason(ready)]).toEqual([undefined, undefined]);
});

test('a message is bounded, and no line but the first is shown', () => {
  const message = `${'x'.repeat(1000)}\nsecond line`;
  const cause = causeOf(container({ state: { waiting: { reason: 'CreateContainerError', message } } })) ?? '';
  expect(cause.length).toBeLessThan(320);
  expect(cause).not.toContain('second line');
});

const endOf = (message: string, reason = 'Error'): string =>
  causeOf(container({ lastState: { terminated: { exitCode: 1, reason, message } } })) ?? '';

test.each([
  ['redis://:hunter2@cache:6379', 'redis://:[hidden]@cache:6379'],
  ['login failed: password=hunter2', 'login failed: password=[hidden]'],
  ['\u001B[1mpassword\u001B[0m=hunter2', 'password=[hidden]'],
  ['\u001B]0;title\u0007no\u009Bsuch\r\nmore', 'nosuch'],
  ['one\rtwo', 'onetwo'],
  ['MIIEpAIBAAKCAQ==\n-----END RSA PRIVATE KEY-----', '[private key]'],
  ['ended”; container other waits: “', 'ended"; container other waits: "'],
])(
  'what a container said at its end is shown as a quotation, without secrets and control characters: %j',
  (message, shown) => {
    expect(endOf(message)).toBe(`container cache has ended with exit code 1 (Error) and is restarted: “${shown}”`);
  },
);

test('of a long message its beginning and its end are shown, where the cause of a failed pull stands', () => {
  const shown = endOf(`first ${'x'.repeat(200_000)} last`).split(': ')[1] ?? '';
  expect(shown).toMatch(/^“first x+…x+ last”$/);
  expect(shown).toHaveLength(256 + 2);
});

test('a reason, an image and the words of the scheduler and the kubelet are bounded, and without secrets and control characters', () => {
  const hostile = `\u001B[2J\rpassword=hunter2 ${'y'.repeat(200_000)}`;
  const waiting = { reason: hostile, message: hostile };
  const scheduled = { type: 'PodScheduled', status: 'False', reason: hostile, message: hostile };
  const kubelet = { ...unready, reason: hostile, message: hostile };
  const texts = [
    causeOf(
      container({ name: hostile, image: hostile, state: { waiting: { reason: 'ErrImagePull', message: hostile } } }),
    ),
    causeOf(container({ state: { waiting } })),
    endOf(hostile, hostile),
    unreadyCause(podOf({ conditions: [scheduled] })),
    unreadyReason(podOf({ conditions: [kubelet] })),
  ];
  for (const text of texts) {
    expect(text).toContain('“password=[hidden] y');
    expect(text).not.toMatch(/hunter2|\p{Cc}/u);
    expect(text?.length).toBeLessThan(900);
  }
});
