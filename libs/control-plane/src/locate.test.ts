import { expect, test } from 'vitest';
import { builtDirectory, locateControlPlane } from './locate.ts';

const having =
  (...files: readonly string[]) =>
  (path: string) =>
    files.includes(path);
const home = { HOME: '/home/me', PATH: '/usr/bin:/opt/kubernetes' };
const built = '/home/me/.cache/ordinal-cluster/bin';

test('the named directory comes first, and no other instead', () => {
  const environment = { ...home, KUBEBUILDER_ASSETS: '/assets' };
  const everywhere = ['/assets', '/usr/bin', built].flatMap((directory) => [
    `${directory}/etcd`,
    `${directory}/kube-apiserver`,
  ]);
  expect(locateControlPlane(environment, having(...everywhere))).toEqual({
    source: 'KUBEBUILDER_ASSETS',
    etcd: '/assets/etcd',
    apiServer: '/assets/kube-apiserver',
  });
  expect(locateControlPlane(environment, having('/usr/bin/etcd', '/usr/bin/kube-apiserver'))).toMatchObject({
    missing: expect.stringContaining('KUBEBUILDER_ASSETS is /assets') as string,
  });
});

test('then the PATH, whatever its directories', () => {
  const found = locateControlPlane(
    home,
    having(
      '/usr/bin/etcd',
      '/opt/kubernetes/kube-apiserver',
      '/opt/kubernetes/kube-controller-manager',
      `${built}/etcd`,
      `${built}/kube-apiserver`,
    ),
  );
  expect(found).toEqual({
    source: 'PATH',
    etcd: '/usr/bin/etcd',
    apiServer: '/opt/kubernetes/kube-apiserver',
    controllerManager: '/opt/kubernetes/kube-controller-manager',
  });
});

test('then the built cluster', () => {
  expect(locateControlPlane(home, having(`${built}/etcd`, `${built}/kube-apiserver`))).toMatchObject({
    source: 'built cluster',
  });
});

test('the cluster of another minor version is built beside it', () => {
  expect(builtDirectory({ ...home, CLUSTER_KUBERNETES: '1.36' })).toBe(built);
  expect(builtDirectory({ ...home, CLUSTER_KUBERNETES: '1.37' })).toBe('/home/me/.cache/ordinal-cluster-1.37/bin');
  expect(builtDirectory({ HOME: '/home/me', CLUSTER_HOME: '/here', CLUSTER_KUBERNETES: '1.37' })).toBe('/here/bin');
});

test('without any, it says what is missing and whether it can be built', () => {
  expect(locateControlPlane(home, having())).toEqual({
    missing: `no etcd and kube-apiserver: KUBEBUILDER_ASSETS is not set, they are not on the PATH and not in ${built}; and no Go to build them with`,
    canBuild: false,
  });
  expect(locateControlPlane(home, having('/usr/bin/go'))).toMatchObject({
    canBuild: true,
    missing: expect.stringContaining('npm run cluster -- build') as string,
  });
});
