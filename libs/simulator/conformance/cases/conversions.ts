import type { Case, Json, Session } from '../case.ts';
import type { Answer } from '../webhook-server.ts';
import { converting, objectsOf, served, success, timer, typed, versionOf, withTimers } from './timers.ts';
import type { Timers, Work } from './timers.ts';
import { definitions } from './widgets.ts';

const wrongs: Readonly<Record<string, Answer>> = {
  'that says no': () => ({ result: { status: 'Failure', message: 'not today' } }),
  'that says no without a word': () => ({ result: { status: 'Failure' } }),
  'without a result': () => ({}),
  'with another uid': (request) => ({ ...converting()(request), uid: 'x' }),
  'with no objects': () => ({ result: success, convertedObjects: [] }),
  'with two objects': (request) => ({
    result: success,
    convertedObjects: [...objectsOf(request), ...objectsOf(request)],
  }),
  'in the old version': (request) => ({ result: success, convertedObjects: objectsOf(request) }),
  'of another kind': converting((object) => ({ ...object, kind: 'Clock' })),
  'of another name': converting((object) => ({ ...object, metadata: { ...(object['metadata'] as Json), name: 'z' } })),
  'of another uid': converting((object) => ({ ...object, metadata: { ...(object['metadata'] as Json), uid: 'z' } })),
  'without metadata': converting(({ metadata: _, ...object }) => object),
  'with labels that are numbers': converting((object) => ({
    ...object,
    metadata: { ...(object['metadata'] as Json), labels: { a: 1 } },
  })),
  'with bad labels': converting((object) => ({
    ...object,
    metadata: { ...(object['metadata'] as Json), labels: { a: '-' } },
  })),
  'with a status of 500': () => ({ status: 500, text: 'broken' }),
};

const cases: Readonly<Record<string, Work>> = {
  'each version reads what the other wrote': async (s, t) => {
    await s.create(t.v1, timer(t, 'v1', { name: 'a', spec: { address: 'here:80' } }));
    await s.create(t.v2, timer(t, 'v2', { name: 'b', spec: { host: 'there', port: 8080, seconds: 7 } }));
    for (const path of [t.v1, t.v2]) {
      await s.get(`${path}/a`);
      await s.get(`${path}/b`);
      await s.get(path);
      await s.get(`${path}?watch=true&timeoutSeconds=1`);
      await s.table(path);
    }
  },
  'what the webhook is asked': async (s, t) => {
    await s.create(t.v1, timer(t, 'v1', { name: 'a', spec: { address: 'here:80' } }));
    t.server.taken();
    await s.get(`${t.v2}/a`);
    s.record('asked', t.server.taken().slice(0, 1));
  },
  'changes in the other version': async (s, t) => {
    const { body } = await s.create(t.v1, timer(t, 'v1', { name: 'a', spec: { address: 'here:80' } }));
    await s.merge(`${t.v2}/a`, { spec: { port: 81 } });
    await s.json(`${t.v2}/a`, [{ op: 'replace', path: '/spec/host', value: 'there' }]);
    await s.merge(`${t.v2}/a`, { spec: { port: 81 } });
    await s.update(`${t.v2}/a`, { ...body, ...typed(t, 'v2'), spec: { host: 'late' } });
    const { body: now } = await s.get(`${t.v2}/a`);
    await s.update(`${t.v2}/a`, { ...now, spec: { host: 'last', port: 1 } });
    await s.merge(`${t.v2}/a`, { spec: { port: 0 } });
    await s.merge(`${t.v2}/a/status`, { status: { lastRun: 'today' } });
    await s.get(`${t.v1}/a`);
    await s.get(`${t.v1}?watch=true&timeoutSeconds=1`);
  },
  'a watch of one version sees what the other writes': async (s, t) => {
    const { body } = await s.create(t.v2, timer(t, 'v2', { name: 'a', spec: { host: 'here', port: 80 } }));
    const from = String((body['metadata'] as Json)['resourceVersion']);
    await s.merge(`${t.v1}/a`, { spec: { period: '5s' } });
    await s.merge(`${t.v2}/a`, { metadata: { labels: { a: 'b' } } });
    await s.delete(`${t.v1}/a`);
    await s.get(`${t.v2}?watch=true&timeoutSeconds=1&resourceVersion=${from}`);
    await s.get(`${t.v1}?watch=true&timeoutSeconds=1&resourceVersion=${from}`);
  },
  'fields select by what the version shows': async (s, t) => {
    await s.create(t.v1, timer(t, 'v1', { name: 'a', spec: { address: 'here:80' } }));
    await s.create(t.v1, timer(t, 'v1', { name: 'b', spec: { address: 'there:80' } }));
    await s.get(`${t.v2}?fieldSelector=spec.host%3Dhere`);
    await s.get(`${t.v1}?fieldSelector=spec.address%3Dhere:80`);
    await s.get(`${t.v1}?fieldSelector=spec.host%3Dhere`);
    await s.get(`${t.v2}?watch=true&timeoutSeconds=1&fieldSelector=spec.host%3Dhere`);
    await s.delete(`${t.v2}?fieldSelector=spec.host%3Dhere`);
    await s.get(t.v1);
  },
  'defaults are those of the version that is written, and of the one that is stored': async (s, t) => {
    await s.create(t.v1, timer(t, 'v1', { name: 'a', spec: { address: 'here' } }));
    await s.create(t.v2, timer(t, 'v2', { name: 'b', spec: { host: 'here' } }));
    await s.create(`${t.v2}?dryRun=All`, timer(t, 'v2', { name: 'c', spec: { host: 'here' } }));
    for (const path of [t.v1, t.v2]) await s.get(path);
    await s.merge(`${t.v2}/b`, {});
    await s.merge(`${t.v1}/b?dryRun=All`, { spec: { address: 'dry' } });
    await s.merge(`${t.v2}/a?dryRun=All`, { spec: { host: 'dry' } });
  },
  'unknown fields of a converted object': async (s, t) => {
    t.answer = converting((object) => ({ ...object, spec: { ...(object['spec'] as Json), extra: 1 }, other: 2 }));
    await s.create(t.v1, timer(t, 'v1', { name: 'a', spec: { address: 'here' } }));
    await s.get(`${t.v2}/a`);
    await s.create(t.v2, timer(t, 'v2', { name: 'b', spec: { host: 'here' } }));
    await s.get(`${t.v1}/b`);
  },
  'labels and annotations may be changed': async (s, t) => {
    t.answer = converting((object) => ({
      ...object,
      metadata: { ...(object['metadata'] as Json), labels: { by: 'webhook' }, finalizers: ['example.com/none'] },
    }));
    await s.create(
      t.v1,
      timer(t, 'v1', {
        name: 'a',
        spec: { address: 'here' },
        metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
      }),
    );
    await s.get(`${t.v2}/a`);
    await s.get(`${t.v2}?labelSelector=by%3Dwebhook`);
    await s.get(`${t.v1}?labelSelector=by%3Dwebhook`);
  },
  'apply in two versions': async (s, t) => {
    await s.apply(`${t.v1}/a`, timer(t, 'v1', { name: 'a', spec: { address: 'here:80', labels: { a: 'b' } } }));
    await s.apply(`${t.v2}/a`, timer(t, 'v2', { name: 'a', spec: { labels: { c: 'd' } } }), { manager: 'second' });
    await s.apply(`${t.v2}/a`, timer(t, 'v2', { name: 'a', spec: { port: 81 } }), { manager: 'second' });
    await s.apply(`${t.v2}/a`, timer(t, 'v2', { name: 'a', spec: { port: 81 } }), { manager: 'second', force: true });
    await s.apply(`${t.v2}/a`, timer(t, 'v2', { name: 'a', spec: { labels: { a: 'b' } } }));
    await s.apply(`${t.v1}/a`, timer(t, 'v1', { name: 'a', spec: { labels: { a: 'b' } } }));
    await s.apply(`${t.v2}/b`, timer(t, 'v2', { name: 'b', spec: { host: 'here' } }));
    await s.get(t.v1);
  },
  scale: async (s, t) => {
    await s.create(t.v1, timer(t, 'v1', { name: 'a', spec: { address: 'here', replicas: 2 } }));
    await s.get(`${t.v2}/a/scale`);
    await s.merge(`${t.v2}/a/scale`, { spec: { replicas: 5 } });
    await s.get(`${t.v1}/a`);
  },
  deletion: async (s, t) => {
    await s.create(
      t.v1,
      timer(t, 'v1', { name: 'a', spec: { address: 'here' }, metadata: { finalizers: ['example.com/stay'] } }),
    );
    await s.delete(`${t.v2}/a`);
    await s.merge(`${t.v2}/a`, { metadata: { finalizers: null } });
    await s.get(`${t.v1}/a`);
    await s.create(t.v1, timer(t, 'v1', { name: 'b', spec: { address: 'here' } }));
    await s.delete(t.v2);
  },
  'the storage version changes': async (s, t) => {
    await s.create(t.v1, timer(t, 'v1', { name: 'a', spec: { address: 'here' } }));
    await s.create(t.v1, timer(t, 'v1', { name: 'b', spec: { address: 'here' } }));
    const stored = (on: 'v1' | 'v2'): readonly Json[] => [
      { op: 'replace', path: '/spec/versions/0/storage', value: on === 'v1' },
      { op: 'replace', path: '/spec/versions/1/storage', value: on === 'v2' },
    ];
    const { body } = await s.world.send({
      method: 'PATCH',
      path: t.definition,
      contentType: 'application/json-patch+json',
      body: stored('v2'),
    });
    s.record('stored versions', ((body as Json)['status'] as Json)['storedVersions']);
    await served(s, t);
    for (const path of [t.v1, t.v2]) await s.get(path);
    const { body: a } = await s.get(`${t.v1}/a`);
    const version = (object: Json): unknown => (object['metadata'] as Json)['resourceVersion'];
    const { body: written } = await s.update(`${t.v1}/a`, a);
    s.record('a write that says nothing new stores it anew', version(written) !== version(a));
    const { body: again } = await s.update(`${t.v1}/a`, written);
    s.record('and then no more', version(again) === version(written));
    await s.merge(`${t.v1}/b`, { spec: { period: '9s' } });
    for (const path of [t.v1, t.v2]) await s.get(path);
  },
  'a webhook that fails keeps one version from being listed': async (s, t) => {
    await s.create(t.v1, timer(t, 'v1', { name: 'a', spec: { address: 'here' } }));
    await s.get(t.v2);
    t.answer = () => ({ status: 500, text: 'broken' });
    await s.create(t.v1, timer(t, 'v1', { name: 'b', spec: { address: 'here' } }));
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await s.get(t.v1);
    await s.get(t.v2);
    t.answer = converting();
    await served(s, t);
    await s.get(t.v2);
  },
  'a version that objects are stored in stays': async (s, t) => {
    const reply = await s.world.send({
      method: 'PATCH',
      path: t.definition,
      contentType: 'application/json-patch+json',
      body: [
        { op: 'remove', path: '/spec/versions/0' },
        { op: 'replace', path: '/spec/versions/0/storage', value: true },
      ],
    });
    s.record('removed', { status: reply.status, body: reply.body });
  },
};

const failureCases: Readonly<Record<string, Work>> = Object.fromEntries(
  Object.entries(wrongs).map(([title, answer]) => [
    `an answer ${title}`,
    async (s: Session, t: Timers) => {
      await s.create(t.v1, timer(t, 'v1', { name: 'a', spec: { address: 'here' } }));
      // From here on the server has it in its cache of this version.
      await s.get(t.v2);
      t.answer = answer;
      await s.get(`${t.v2}/a`);
      await s.create(t.v2, timer(t, 'v2', { name: 'b', spec: { host: 'here' } }));
      await s.merge(`${t.v2}/a`, { spec: { port: 81 } });
      await s.get(`${t.v1}/a`);
      await s.get(`${t.v1}/b`);
    },
  ]),
);

const invalid: Readonly<Record<string, Json>> = {
  'without a webhook': { strategy: 'Webhook' },
  'without where': { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: {} } },
  'without versions of the review': {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: [], clientConfig: { url: 'https://127.0.0.1:1/x' } },
  },
};

const refusedCases: readonly Case[] = Object.entries(invalid).map(([title, conversion]) => ({
  name: `conversion: a definition ${title}`,
  body: async (s) => {
    const group = `${s.namespace}.example.com`;
    await s.create(definitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `timers.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'timers', kind: 'Timer' },
        conversion,
        versions: [versionOf('v1', true)],
      },
    });
  },
}));

/** Custom kinds in two versions, between which a webhook of the case converts. */
export const conversionCases: readonly Case[] = [
  ...Object.entries({ ...cases, ...failureCases }).map(([title, work]) => ({
    name: `conversion: ${title}`,
    body: (s: Session) => withTimers(s, work),
  })),
  ...refusedCases,
];
