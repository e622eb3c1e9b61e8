import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import { describe, expect, test } from 'vitest';
import {
  controllerReference,
  hashOf,
  durationFault,
  durationOf,
  longestDurationMs,
  milliseconds,
  overlayPodTemplate,
  templateHashAnnotation,
  withTemplateHash,
} from './index.ts';

const generated: PodTemplateSpec = {
  metadata: { labels: { app: 'a' } },
  spec: {
    containers: [
      {
        name: 'cache',
        image: 'a:1',
        env: [{ name: 'A', value: '1' }],
        readinessProbe: { tcpSocket: { port: 1 }, periodSeconds: 5 },
      },
    ],
    volumes: [{ name: 'data', emptyDir: {} }],
  },
};

describe('an overlay over a pod template', () => {
  test('leaves the generated pod as it is where it says nothing', () => {
    expect(overlayPodTemplate(generated, undefined)).toBe(generated);
    expect(overlayPodTemplate(generated, {})).toEqual(generated);
  });

  test('merges containers by name and adds others', () => {
    const overlay = {
      spec: {
        containers: [
          { name: 'cache', resources: { limits: { cpu: '1' } } },
          { name: 'log', image: 'l' },
        ],
      },
    };
    const { containers } = overlayPodTemplate(generated, overlay).spec ?? {};
    expect(containers).toMatchObject([
      { name: 'cache', image: 'a:1', resources: { limits: { cpu: '1' } } },
      { name: 'log' },
    ]);
  });

  test('replaces an environment variable whole, so that it never has a value and a source', () => {
    const env = [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }];
    const overlaid = overlayPodTemplate(generated, { spec: { containers: [{ name: 'cache', env }] } });
    expect(overlaid.spec?.containers[0]?.env).toEqual(env);
  });

  test('puts its probe in the place of the generated one and keeps the timing', () => {
    const readinessProbe = { exec: { command: ['ready'] } };
    const overlaid = overlayPodTemplate(generated, { spec: { containers: [{ name: 'cache', readinessProbe }] } });
    expect(overlaid.spec?.containers[0]?.readinessProbe).toEqual({ ...readinessProbe, periodSeconds: 5 });
  });

  test('adds labels and annotations but never changes what selectors depend on', () => {
    const overlaid = overlayPodTemplate(generated, {
      metadata: { labels: { app: 'b', team: 't' }, annotations: { x: 'y' } },
    });
    expect(overlaid.metadata).toEqual({ labels: { app: 'a', team: 't' }, annotations: { x: 'y' } });
  });
});

describe('a template hash', () => {
  test('is the same whatever the order of keys and whatever is undefined', () => {
    expect(hashOf({ a: 1, b: { c: 2, d: 3 } })).toBe(hashOf({ b: { d: 3, c: 2 }, a: 1, e: undefined }));
  });

  test('differs with the order of a list', () => {
    expect(hashOf(['a', 'b'])).not.toBe(hashOf(['b', 'a']));
  });

  test('stands in the template that it belongs to', () => {
    expect(withTemplateHash(generated).metadata?.annotations?.[templateHashAnnotation]).toBe(hashOf(generated));
  });
});

describe('an owner reference', () => {
  const owner = { apiVersion: 'a/v1', kind: 'A', name: 'a', uid: 'u' };

  test.each([
    ['in its namespace', { ...owner, namespace: 'n' }, { namespace: 'n' }],
    ['from a cluster-scoped owner into a namespace', owner, { namespace: 'n' }],
    ['between cluster-scoped objects', owner, {}],
  ])('%s is made', (_where, from, child) => {
    expect(controllerReference(from, child)).toMatchObject({ uid: 'u', controller: true });
  });

  test.each([
    ['across namespaces', { ...owner, namespace: 'n' }, { namespace: 'm' }],
    ['from a namespace to a cluster-scoped object', { ...owner, namespace: 'n' }, {}],
  ])('%s is refused', (_where, from, child) => {
    expect(() => controllerReference(from, child)).toThrow(/can't own/);
  });
});

test.each([
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['500ms', 500],
  ['1.5s', 1500],
])('the duration %s', (text, expected) => {
  expect([milliseconds(text), durationOf(text, 7)]).toEqual([expected, expected]);
});

test.each(['', '5', '5 m', 'm5', '5x'])('"%s" is no duration', (text) => {
  expect(() => milliseconds(text)).toThrow(RangeError);
  expect(durationOf(text, 7)).toBe(7);
  expect(durationFault(text)).toContain('write it like');
});

// Where each digit is tried as the first one, this takes minutes.
test('a text of nothing but digits is no duration', () => {
  expect(durationFault('1'.repeat(256 * 1024))).toContain('write it like');
});

test.each(['8761h', '9999999999h', `${'9'.repeat(400)}s`])('%s counts as a year, so that its end is a date', (text) => {
  expect([milliseconds(text), durationOf(text, 7)]).toEqual([longestDurationMs, longestDurationMs]);
  expect(durationFault(text)).toContain('longer than a year');
  expect(durationFault('8760h')).toBeUndefined();
});
