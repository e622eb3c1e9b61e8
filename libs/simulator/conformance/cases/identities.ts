import type { Case, Json, Session } from '../case.ts';
import type { Request } from '../world.ts';
import { configMap, paths } from './objects.ts';

const rbac = 'rbac.authorization.k8s.io';
const reviews = '/apis/authorization.k8s.io/v1';
const bootstrapping = 'labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults';

const review = (kind: string, spec: Json, metadata?: Json): Json => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind,
  ...(metadata && { metadata }),
  spec,
});

/** Who the server takes one for. */
const whoAmI = (s: Session, as: Pick<Request, 'user' | 'groups' | 'uid'>) =>
  s.send({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    ...as,
  });

const asAlice = (s: Session, method: Request['method'], path: string, body?: unknown) =>
  s.send({ method, path, user: 'alice', ...(body !== undefined && { body }) });

/** Gives alice rules in the case's namespace. */
async function allow(s: Session, rules: readonly Json[]): Promise<void> {
  await s.create(paths.roles, { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: 'own' }, rules });
  await s.create(`/apis/${rbac}/v1/namespaces/:ns/rolebindings`, {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'own' },
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'own' },
    subjects: [{ apiGroup: rbac, kind: 'User', name: 'alice' }],
  });
  await seen(s);
}

/** Gives a real server the time to see a new binding. */
export const seen = (s: Session): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, s.world.name === 'real' ? 700 : 0));

/** Who one is, what all users may do, and the roles that every cluster begins with. */
export const identityCases: readonly Case[] = [
  {
    name: 'permissions: the roles of every cluster',
    async body(s) {
      for (const plural of ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'])
        await s.get(`/apis/${rbac}/v1/${plural}?${bootstrapping}`);
    },
  },
  {
    name: 'permissions: acting as others',
    async body(s) {
      const account = `system:serviceaccount:${s.namespace}:default`;
      await whoAmI(s, { user: 'alice' });
      await whoAmI(s, { user: 'alice', groups: ['staff'], uid: '17' });
      await whoAmI(s, { user: 'alice', groups: ['staff', 'system:authenticated'] });
      await whoAmI(s, { user: 'alice', groups: ['system:unauthenticated'] });
      await whoAmI(s, { user: 'system:anonymous' });
      await whoAmI(s, { user: account });
      await whoAmI(s, { user: account, uid: '18' });
      await whoAmI(s, { user: account, groups: ['staff'] });
      await whoAmI(s, { groups: ['staff'] });
      await whoAmI(s, { uid: '19' });
    },
  },
  {
    name: 'permissions: what all users may do',
    async body(s) {
      for (const path of [
        '/api',
        '/apis',
        '/version',
        '/healthz',
        '/metrics',
        '/none',
        '/apis/none.example.com/v1/things',
      ])
        await s.world
          .send({ method: 'GET', path, user: 'alice' })
          .then(({ status, body }) => s.record(path, status === 403 ? body : status));
      for (const path of ['/api', '/version', '/healthz'])
        await s.world
          .send({ method: 'GET', path, user: 'system:anonymous' })
          .then(({ status, body }) => s.record(`anonymous ${path}`, status === 403 ? body : status));
      await asAlice(s, 'POST', '/none', {});
      await asAlice(s, 'GET', '/api/v1/namespaces/:ns/nothings/a/some?watch=true');
      await asAlice(s, 'GET', '/api/v1/namespaces/:ns/pods/a%3Cb%3E');
      await asAlice(s, 'GET', `${paths.configMaps}?fieldSelector=metadata.name%3Dsettings`);
      await asAlice(s, 'GET', `${paths.configMaps}?watch=1`);
      await asAlice(s, 'DELETE', paths.configMaps);
      await asAlice(s, 'GET', '/api/v1/namespaces/:ns');
      await asAlice(s, 'GET', '/api/v1/namespaces/:ns/pods/web/log');
      await asAlice(s, 'POST', '/api/v1/namespaces/:ns/pods/web/eviction', {});
    },
  },
  {
    name: 'permissions: of one name, and of a namespace',
    async body(s) {
      await allow(s, [
        { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
        { apiGroups: [''], resources: ['configmaps'], resourceNames: ['settings'], verbs: ['get', 'list', 'patch'] },
        { apiGroups: [rbac], resources: ['roles'], verbs: ['update', 'get'] },
      ]);
      await s.create(paths.configMaps, configMap('settings'));
      await s.create(paths.configMaps, configMap('other'));
      await asAlice(s, 'GET', '/api/v1/namespaces/:ns');
      await asAlice(s, 'GET', `${paths.configMaps}/settings`);
      await asAlice(s, 'GET', `${paths.configMaps}/other`);
      await asAlice(s, 'GET', `${paths.configMaps}?fieldSelector=metadata.name%3Dsettings`);
      await asAlice(s, 'GET', paths.configMaps);
      await s.send({
        method: 'PATCH',
        path: `${paths.configMaps}/absent?fieldManager=alice`,
        user: 'alice',
        contentType: 'application/apply-patch+yaml',
        body: configMap('absent'),
      });
      await asAlice(s, 'PUT', `${paths.roles}/new`, {
        apiVersion: `${rbac}/v1`,
        kind: 'Role',
        metadata: { name: 'new' },
        rules: [],
      });
    },
  },
  {
    name: 'permissions: questions that are none',
    async body(s) {
      const attributes = { namespace: s.namespace, verb: 'get', resource: 'pods' };
      const path = { path: '/version', verb: 'get' };
      const sar = (spec: Json, metadata?: Json) =>
        s.create(`${reviews}/subjectaccessreviews`, review('SubjectAccessReview', spec, metadata));
      await sar({ user: 'alice' });
      await sar({ resourceAttributes: attributes });
      await sar({ user: 'alice', resourceAttributes: attributes, nonResourceAttributes: path });
      const self = `${reviews}/selfsubjectaccessreviews`;
      await s.create(self, review('SelfSubjectAccessReview', {}));
      const local = `${reviews}/namespaces/:ns/localsubjectaccessreviews`;
      const elsewhere = { ...attributes, namespace: 'default' };
      await s.create(local, review('LocalSubjectAccessReview', { user: 'alice', resourceAttributes: elsewhere }));
      await s.create(local, review('LocalSubjectAccessReview', { user: 'alice', nonResourceAttributes: path }));
      await s.create(local, review('LocalSubjectAccessReview', { user: 'alice', resourceAttributes: attributes }));
    },
  },
  {
    name: 'permissions: questions about groups, paths and oneself',
    async body(s) {
      await allow(s, [{ apiGroups: ['apps'], resources: ['*/scale'], verbs: ['get'] }]);
      const ask = (spec: Json) => s.create(`${reviews}/subjectaccessreviews`, review('SubjectAccessReview', spec));
      // One binding alone allows it: of two, a real server names either.
      const path = { path: '/api', verb: 'get' };
      await ask({ user: 'alice', nonResourceAttributes: path });
      await ask({ user: 'alice', groups: ['system:authenticated'], nonResourceAttributes: path });
      await ask({ groups: ['system:masters'], resourceAttributes: { verb: '*', resource: '*', group: '*' } });
      await ask({ user: 'x', groups: ['system:masters'], nonResourceAttributes: { path: '/none', verb: 'get' } });
      const scale = {
        namespace: s.namespace,
        verb: 'get',
        group: 'apps',
        resource: 'deployments',
        subresource: 'scale',
      };
      await ask({ user: 'alice', resourceAttributes: scale });
      await ask({ user: 'alice', resourceAttributes: { ...scale, subresource: 'status' } });
      await ask({ user: 'alice', resourceAttributes: { ...scale, namespace: '' } });
      const mine = review('SelfSubjectAccessReview', { resourceAttributes: scale });
      await asAlice(s, 'POST', `${reviews}/selfsubjectaccessreviews`, mine);
      const rules = review('SelfSubjectRulesReview', { namespace: s.namespace });
      await asAlice(s, 'POST', `${reviews}/selfsubjectrulesreviews`, rules);
      await asAlice(s, 'POST', `${reviews}/selfsubjectrulesreviews`, review('SelfSubjectRulesReview', {}));
    },
  },
];
