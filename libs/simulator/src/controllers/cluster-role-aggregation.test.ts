import { expect, it } from 'vitest';
import { SimulatedCluster } from '../cluster/simulated-cluster.ts';

const resource = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' };

it('gives the roles of users the rules of the roles that they gather', async () => {
  const cluster = await SimulatedCluster.start({ rbac: true, nodes: 0 });
  const rules = (name: string): readonly { readonly resources?: readonly string[] }[] =>
    (cluster.server.execute({ verb: 'get', resource, name }).body['rules'] ?? []) as never;
  cluster.server.execute({
    verb: 'create',
    resource,
    body: {
      metadata: { name: 'widgets', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
      rules: [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get'] }],
    },
  });
  await cluster.advance(1000);
  for (const name of ['view', 'edit', 'admin'])
    expect(rules(name).some(({ resources }) => resources?.includes('widgets') === true)).toBe(true);
  expect(rules('admin').length).toBeGreaterThan(rules('view').length);
  cluster.stop();
});
