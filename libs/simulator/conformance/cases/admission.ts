import type { Case, Json } from '../case.ts';
import { paths, pod, service } from './objects.ts';

const priorityClasses = '/apis/scheduling.k8s.io/v1/priorityclasses';
const runtimeClasses = '/apis/node.k8s.io/v1/runtimeclasses';
const addresses = '/apis/networking.k8s.io/v1/ipaddresses';
const cidrs = '/apis/networking.k8s.io/v1/servicecidrs';
const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const slices = '/apis/discovery.k8s.io/v1/namespaces/:ns/endpointslices';

/** The name of an object that stands in no namespace: each case has its own. */
const own = (namespace: string, name: string): string => `${namespace}-${name}`;

const priorityClass = (name: string, more: Json): Json => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  ...more,
});

const sysctls = (...names: readonly string[]): Json =>
  pod('a', { securityContext: { sysctls: names.map((name) => ({ name, value: '1' })) } });

const webhook = (name: string, ...expressions: readonly string[]): Json => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name },
  webhooks: [
    {
      name: 'a.example.com',
      clientConfig: { url: 'https://127.0.0.1:1/none' },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      rules: [{ operations: ['CREATE'], apiGroups: ['none.example.com'], apiVersions: ['v1'], resources: ['nones'] }],
      matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
    },
  ],
});

/** What the server's own admission and validation make of pods and of what stands in no namespace. */
export const admissionCases: readonly Case[] = [
  {
    name: 'admission: priority classes',
    async body(s) {
      const high = own(s.namespace, 'high');
      s.hide(high, '<high>');
      await s.get(`${priorityClasses}/system-node-critical`);
      await s.get(`${priorityClasses}/system-cluster-critical`);
      await s.create(priorityClasses, priorityClass(high, { value: 1000, preemptionPolicy: 'Never' }));
      await s.create(paths.pods, pod('with-class', { priorityClassName: high }));
      await s.create(paths.pods, pod('of-the-system', { priorityClassName: 'system-cluster-critical' }));
      await s.create(paths.pods, pod('of-none', { priorityClassName: 'no-such-class' }));
      await s.create(paths.pods, pod('other-number', { priorityClassName: high, priority: 5 }));
      await s.create(
        paths.pods,
        pod('other-policy', { priorityClassName: high, preemptionPolicy: 'PreemptLowerPriority' }),
      );
      await s.create(paths.pods, pod('number-alone', { priority: 7 }));
      await s.merge(`${priorityClasses}/${high}`, { value: 2000 });
      await s.merge(`${priorityClasses}/${high}`, { preemptionPolicy: 'PreemptLowerPriority' });
      await s.merge(`${priorityClasses}/${high}`, { description: 'changed' });
      await s.create(priorityClasses, priorityClass(own(s.namespace, 'too-high'), { value: 1_000_000_001 }));
      await s.create(priorityClasses, priorityClass('system-of-mine', { value: 1 }));
      await s.create(priorityClasses, priorityClass('system-node-critical', { value: 1 }));
      await s.delete(`${priorityClasses}/${high}`);
    },
  },
  {
    name: 'admission: runtime classes',
    async body(s) {
      const name = own(s.namespace, 'sandbox');
      s.hide(name, '<sandbox>');
      await s.create(runtimeClasses, {
        apiVersion: 'node.k8s.io/v1',
        kind: 'RuntimeClass',
        metadata: { name },
        handler: 'sandbox',
        overhead: { podFixed: { cpu: '10m', memory: '1Mi' } },
        scheduling: {
          nodeSelector: { sandbox: 'yes' },
          tolerations: [{ key: 'sandbox', operator: 'Exists', effect: 'NoSchedule' }],
        },
      });
      await s.create(paths.pods, pod('a', { runtimeClassName: name }));
      await s.create(paths.pods, pod('b', { runtimeClassName: name, overhead: { cpu: '20m' } }));
      await s.create(paths.pods, pod('c', { runtimeClassName: name, nodeSelector: { sandbox: 'no' } }));
      await s.create(paths.pods, pod('d', { runtimeClassName: 'no-such-class' }));
      await s.create(paths.pods, pod('e', { overhead: { cpu: '20m' } }));
      await s.delete(`${runtimeClasses}/${name}`);
    },
  },
  {
    name: 'admission: service accounts',
    async body(s) {
      await s.create(paths.pods, pod('a', { serviceAccountName: 'no-such-account' }));
      await s.create(`/api/v1/namespaces/:ns/serviceaccounts`, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'puller' },
        imagePullSecrets: [{ name: 'registry' }],
      });
      await s.create(paths.pods, pod('b', { serviceAccountName: 'puller' }));
      await s.create(paths.pods, pod('c', { serviceAccountName: 'puller', imagePullSecrets: [{ name: 'mine' }] }));
    },
  },
  {
    name: 'validation: sysctls',
    async body(s) {
      await s.create(paths.pods, sysctls('foo-', 'kernel.shmmax', 'bar..', 'safe/one', '', 'safe/one'));
    },
  },
  {
    name: 'validation: IP addresses',
    async body(s) {
      const address = (name: string): Json => ({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'IPAddress',
        metadata: { name },
        spec: { parentRef: { resource: 'services', namespace: s.namespace, name: 'a' } },
      });
      for (const name of ['2001:db8::2ffe', '192.168.32.1', '2001:DB8::1', '2001:db8:0:0::2', 'no-address', '1.2.3']) {
        await s.create(addresses, address(name));
        await s.world.send({ method: 'DELETE', path: `${addresses}/${name}` });
      }
    },
  },
  {
    name: 'validation: conditions of webhooks',
    async body(s) {
      const name = own(s.namespace, 'hook');
      s.hide(name, '<hook>');
      const shown = async (title: string, ...expressions: readonly string[]): Promise<void> => {
        const { status, body } = await s.world.send({
          method: 'POST',
          path: webhooks,
          body: webhook(name, ...expressions),
        });
        // What is wrong with an expression is said in each world's own words.
        const { details } = body as { readonly details?: { readonly causes?: readonly { readonly field: string }[] } };
        s.record(title, { status, fields: details?.causes?.map(({ field }) => field) });
      };
      await shown('no expression', '');
      await shown('what can not be read', '... [] bad expression');
      await shown('an unknown variable', 'object == nothing');
      await shown('no truth value', "'text'");
      await shown('several', 'true', '1 +', 'false');
      await shown('right ones', "request.kind.group != 'coordination.k8s.io'", 'has(object.metadata)');
      await s.world.send({ method: 'DELETE', path: `${webhooks}/${name}` });
    },
  },
  {
    name: 'pods: gates of the scheduling, and which generation a status speaks of',
    async body(s) {
      await s.create(paths.pods, pod('gated', { schedulingGates: [{ name: 'example.com/wait' }] }));
      await s.create(`${paths.pods}/gated/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'gated' },
        target: { apiVersion: 'v1', kind: 'Node', name: 'node-1' },
      });
      const ready = { type: 'Ready', status: 'True' };
      const status = (rest: Json, condition: Json): Json => ({ status: { ...rest, conditions: [condition] } });
      await s.strategic(
        `${paths.pods}/gated/status`,
        status({ observedGeneration: 1 }, { ...ready, observedGeneration: 1 }),
      );
      await s.merge(`${paths.pods}/gated/status`, status({ observedGeneration: null }, ready));
      await s.merge(`${paths.pods}/gated`, { spec: { schedulingGates: null } });
    },
  },
  {
    name: 'lists that are empty are null when they are read',
    async body(s) {
      const slice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4' };
      await s.create(slices, { ...slice, metadata: { name: 'a' }, endpoints: [], ports: [] });
      await s.get(`${slices}/a`);
      const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'a' }, rules: [] };
      await s.create(paths.roles, role);
      await s.get(`${paths.roles}/a`);
    },
  },
  {
    name: 'events by their fields, in both groups',
    async body(s) {
      const event = (name: string, rest: Json): Json => ({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name },
        involvedObject: { kind: 'Pod', namespace: s.namespace, name: 'a' },
        reason: 'Tested',
        type: 'Normal',
        ...rest,
      });
      const core = '/api/v1/namespaces/:ns/events';
      const newer = '/apis/events.k8s.io/v1/namespaces/:ns/events';
      await s.create(core, event('one', { source: { component: 'first' } }));
      await s.create(core, event('two', { reportingComponent: 'second', reportingInstance: 'x', action: 'Do' }));
      for (const selector of [
        'source=first',
        'source=second',
        'reportingComponent=second',
        'reportingController=second',
      ])
        await s.get(`${core}?fieldSelector=${selector}`);
      for (const selector of [
        'reportingController=second',
        'reportingComponent=second',
        'regarding.name=a',
        'regarding.kind!=Pod',
        'involvedObject.name=a',
        'source=first',
      ])
        await s.get(`${newer}?fieldSelector=${selector}`);
    },
  },
  {
    name: 'a review as a table',
    async body(s) {
      const review = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
      };
      const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      await s.send({ method: 'POST', path, body: review, accept: table });
      await s.send({ method: 'POST', path, body: review, accept: `${table},application/json` });
    },
  },
  {
    name: 'services and their addresses',
    async body(s) {
      const { body } = await s.world.send({ method: 'GET', path: '/api/v1/namespaces/default/services/kubernetes' });
      const { metadata, spec } = body as { readonly metadata: Json; readonly spec: Json };
      // Its addresses and ports are those of each cluster.
      const { clusterIP, clusterIPs: _, ports, ...rest } = spec;
      s.record('the Service of the server', { labels: metadata['labels'], rest });
      s.record(
        'its ports',
        (ports as readonly Json[]).map(({ targetPort: __, ...port }) => port),
      );
      s.hide(String(clusterIP), '<address>');
      await s.get(`${addresses}/${String(clusterIP)}`);
      const { body: range } = await s.world.send({ method: 'GET', path: `${cidrs}/kubernetes` });
      s.record('the range', [(range as Json)['status'], ((range as Json)['metadata'] as Json)['finalizers']]);
      const address = '10.96.200.7';
      await s.create(paths.services, service('a', { clusterIP: address }));
      await s.get(`${addresses}/${address}`);
      await s.delete(`${paths.services}/a`);
      await s.get(`${addresses}/${address}`);
    },
  },
  {
    name: 'applied values of another type',
    async body(s) {
      const apply = (path: string, body: Json) => s.apply(`${path}/a`, body);
      const map = (rest: Json): Json => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, ...rest });
      for (const value of [1, 1.5, true, { b: 'c' }, ['b', 1]])
        await apply(paths.configMaps, map({ data: { a: value } }));
      for (const value of ['yes', 1, { b: 'c' }]) await apply(paths.configMaps, map({ immutable: value }));
      for (const value of ['text', 1, [1, 'b']]) await apply(paths.configMaps, map({ data: value }));
      const set = (rest: Json): Json => ({
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'a' },
        ...rest,
      });
      for (const value of ['3', true, { b: 1 }, [1]])
        await apply(paths.statefulSets, set({ spec: { replicas: value } }));
      await apply(paths.statefulSets, set({ spec: { volumeClaimTemplates: { a: 'b' } } }));
    },
  },
  {
    name: 'words and numbers of YAML',
    async body(s) {
      const apply = (text: string) =>
        s.send({
          method: 'PATCH',
          path: `${paths.configMaps}/a?fieldManager=first&force=true`,
          contentType: 'application/apply-patch+yaml',
          body: `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n${text}`,
        });
      await apply('immutable: no\n');
      await apply('immutable: off\ndata:\n  on: "1"\n  y: "2"\n  0x10: "3"\n  010: "4"\n');
      await apply('data: {a: yes}\n');
      await apply('data: {a: 1_000}\n');
      await apply('base: &base {key: "1"}\ndata:\n  <<: *base\n  more: "2"\n');
      const secret = `apiVersion: v1\nkind: Secret\nmetadata: {name: b}\nimmutable: N\n`;
      await s.send({ method: 'POST', path: paths.secrets, contentType: 'application/yaml', body: secret });
      const set = (replicas: string): string =>
        `apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: c}\nspec:\n  replicas: ${replicas}\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: main, image: "a:1"}]}\n`;
      for (const replicas of ['010', '0x10', '0b11', '+5', '08', '1_000', '1:30', '0o17'])
        await s.send({
          method: 'POST',
          path: '/apis/apps/v1/namespaces/:ns/replicasets?dryRun=All',
          contentType: 'application/yaml',
          body: set(replicas),
        });
    },
  },
];
