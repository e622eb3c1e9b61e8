import { describe, expect, test } from 'vitest';
import { surplusOf } from './surplus.ts';

const written = {
  metadata: { labels: { app: 'db' } },
  spec: {
    serviceAccountName: 'db',
    containers: [
      {
        name: 'app',
        image: 'app:1',
        ports: [{ containerPort: 80 }],
        env: [{ name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        readinessProbe: { httpGet: { port: 80 } },
      },
      { name: 'side', image: 'side:1' },
    ],
    volumes: [{ name: 'config', configMap: { name: 'db' } }, { name: 'scratch' }],
  },
};

/** As a real API server (1.36) shows the template that is written above. */
const served = {
  metadata: { creationTimestamp: null, labels: { app: 'db' } },
  spec: {
    containers: [
      {
        env: [{ name: 'POD', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
        image: 'app:1',
        imagePullPolicy: 'IfNotPresent',
        name: 'app',
        ports: [{ containerPort: 80, protocol: 'TCP' }],
        readinessProbe: {
          failureThreshold: 3,
          httpGet: { path: '/', port: 80, scheme: 'HTTP' },
          periodSeconds: 10,
          successThreshold: 1,
          timeoutSeconds: 1,
        },
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      },
      {
        image: 'side:1',
        imagePullPolicy: 'IfNotPresent',
        name: 'side',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      },
    ],
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    serviceAccount: 'db',
    serviceAccountName: 'db',
    terminationGracePeriodSeconds: 30,
    volumes: [
      { configMap: { defaultMode: 420, name: 'db' }, name: 'config' },
      { emptyDir: {}, name: 'scratch' },
    ],
  },
};

const [app, side] = served.spec.containers;

describe('what a template has beyond another one', () => {
  test('is nothing where the API server has filled it in', () => {
    expect(surplusOf(served, written)).toBeUndefined();
    expect(surplusOf(served, served)).toBeUndefined();
    expect(surplusOf(written, served)).toBeUndefined();
  });

  test.each([
    [
      'an annotation of kubectl rollout restart',
      { ...served, metadata: { ...served.metadata, annotations: { 'kubectl.kubernetes.io/restartedAt': 'x' } } },
      'metadata.annotations: {"kubectl.kubernetes.io/restartedAt":"x"}',
    ],
    [
      'a variable',
      { ...served, spec: { ...served.spec, containers: [app, { ...side, env: [{ name: 'A', value: 'b' }] }] } },
      'spec.containers.1.env: [{"name":"A","value":"b"}]',
    ],
    [
      'another entry of a list',
      { ...served, spec: { ...served.spec, containers: [app, side, { name: 'more' }] } },
      'spec.containers: {"name":"more"}',
    ],
    [
      'another order',
      { ...served, spec: { ...served.spec, containers: [side, app] } },
      'spec.containers in another order',
    ],
    ['what is no default', { ...served, spec: { ...served.spec, dnsPolicy: 'Default' } }, 'spec.dnsPolicy: "Default"'],
  ])('names %s', (_what, observed, surplus) => {
    expect(surplusOf(observed, written)).toBe(surplus);
  });
});
