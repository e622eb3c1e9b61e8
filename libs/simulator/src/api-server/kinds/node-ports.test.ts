import { systemClock } from '@ordinal/client';
import { expect, it } from 'vitest';
import type { JsonObject } from '../request.ts';
import { ApiServer } from '../server.ts';

const resource = { group: '', version: 'v1', plural: 'services' };

function servicesOf(server: ApiServer) {
  const namespace = 'default';
  return {
    create: (name: string, spec: JsonObject) =>
      server.execute({ verb: 'create', resource, namespace, body: { metadata: { name }, spec } }),
    patch: (name: string, spec: JsonObject) =>
      server.execute({ verb: 'patch', resource, namespace, name, patchType: 'merge', body: { spec } }),
  };
}

const made = () => servicesOf(new ApiServer({ clock: systemClock, random: () => 0.5 }));

const portOf = ({ body }: { readonly body: unknown }): number =>
  (body as { spec: { ports: { nodePort: number }[] } }).spec.ports[0]?.nodePort ?? 0;

it('gives each Service of the type NodePort numbers of its own, TCP and UDP of one port the same', () => {
  const services = made();
  const ports = [
    { name: 'udp', port: 53, protocol: 'UDP' },
    { name: 'tcp', port: 53 },
  ];
  const first = services.create('a', { type: 'NodePort', ports });
  const number = portOf(first);
  expect(number).toBeGreaterThanOrEqual(30_000);
  expect(first).toMatchObject({ body: { spec: { ports: [{ nodePort: number }, { nodePort: number }] } } });
  expect(portOf(services.create('b', { type: 'NodePort', ports }))).not.toBe(number);
  expect(services.create('c', { type: 'NodePort', ports: [{ port: 80, nodePort: number }] })).toMatchObject({
    status: 422,
    body: { details: { causes: [{ message: `Invalid value: ${number}: provided port is already allocated` }] } },
  });
});

it('takes them away with the type, and gives them again', () => {
  const services = made();
  services.create('a', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_080 }] });
  const inside = services.patch('a', { type: 'ClusterIP' });
  expect(portOf(inside)).toBe(0);
  expect(inside).not.toHaveProperty('body.spec.externalTrafficPolicy');
  expect(services.create('b', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_080 }] }).status).toBe(201);
  expect(portOf(services.patch('a', { type: 'NodePort' }))).toBeGreaterThan(29_999);
});
