import type { Case, Json, Session } from '../case.ts';

const group = '/apis/resource.k8s.io/v1';
const claims = `${group}/namespaces/:ns/resourceclaims`;
const templates = `${group}/namespaces/:ns/resourceclaimtemplates`;
const classes = `${group}/deviceclasses`;
const slices = `${group}/resourceslices`;

const object = (kind: string, name: string, spec: Json): Json => ({
  apiVersion: 'resource.k8s.io/v1',
  kind,
  metadata: { name },
  spec,
});
const exactly = (request: Json = {}): Json => ({
  name: 'gpu',
  exactly: { deviceClassName: 'gpu.example.com', ...request },
});
const claim = (...requests: readonly Json[]): Json => ({ devices: { requests } });

/** What becomes of a change of a spec that can't be changed. The message quotes it in Go's own form, and is left out. */
async function changeSpec(s: Session, at: string, spec: Json): Promise<void> {
  const path = at.replaceAll(':ns', s.namespace);
  const contentType = 'application/merge-patch+json';
  const { status, body } = await s.world.send({ method: 'PATCH', path, body: { spec }, contentType });
  const causes = ((body as Json)['details'] as { readonly causes?: readonly Json[] } | undefined)?.causes ?? [];
  s.record(`PATCH ${at}`, { status, fields: causes.map(({ reason, field }) => [reason, field]) });
}

/** Claims for devices, their templates, classes and what drivers publish. */
export const deviceCases: readonly Case[] = [
  {
    name: 'devices: a claim, its status, and what can not be changed',
    async body(s) {
      await s.create(
        claims,
        object(
          'ResourceClaim',
          'a',
          claim(exactly(), { name: 'any', firstAvailable: [{ name: 'b', deviceClassName: 'c' }] }),
        ),
      );
      await s.merge(`${claims}/a`, { metadata: { labels: { a: 'b' } } });
      await changeSpec(s, `${claims}/a`, claim(exactly({ count: 2 })));
      await s.merge(`${claims}/a/status`, { metadata: { labels: { a: 'c' } }, status: { allocation: {} } });
      await s.apply(`${claims}/a`, object('ResourceClaim', 'a', claim(exactly())));
      await s.get(`${claims}/a/status`);
      await s.get(claims);
      await s.create(
        templates,
        object('ResourceClaimTemplate', 'a', { metadata: { labels: { a: 'b' } }, spec: claim(exactly()) }),
      );
      await changeSpec(s, `${templates}/a`, { spec: claim(exactly({ count: 2 })) });
      await s.delete(`${claims}/a`);
    },
  },
  {
    name: 'devices: claims that are refused',
    async body(s) {
      for (const requests of [
        [{ name: 'a' }],
        [exactly(), exactly()],
        [{ ...exactly(), name: 'A_b' }],
        [exactly({ deviceClassName: '' })],
        [exactly({ deviceClassName: 'A_b' })],
        [exactly({ allocationMode: 'Some' })],
        [exactly({ allocationMode: 'All', count: 1 })],
        [exactly({ count: -1 })],
        [exactly({ selectors: [{}] })],
        Array.from({ length: 33 }, (_, index) => ({ ...exactly(), name: `r${index}` })),
      ])
        await s.create(claims, object('ResourceClaim', 'a', claim(...requests)));
      await s.create(claims, object('ResourceClaim', 'A_b', claim(exactly())));
      await s.create(templates, object('ResourceClaimTemplate', 'a', { spec: claim({ name: 'a' }) }));
      await s.create(claims, object('ResourceClaim', 'a', {}));
    },
  },
  {
    name: 'devices: classes and slices',
    async body(s) {
      const selectors = [{ cel: { expression: 'device.driver == "gpu.example.com"' } }];
      await s.create(classes, object('DeviceClass', s.namespace, { selectors }));
      await s.merge(`${classes}/${s.namespace}`, { spec: { selectors: [{ cel: { expression: 'true' } }] } });
      await s.merge(`${classes}/${s.namespace}`, { spec: { selectors: [{}] } });
      await s.delete(`${classes}/${s.namespace}`);
      const pool = { name: 'pool', generation: 1, resourceSliceCount: 1 };
      const spec = { driver: s.namespace, pool, nodeName: 'none' };
      await s.create(
        slices,
        object('ResourceSlice', s.namespace, {
          ...spec,
          devices: [{ name: 'a', attributes: { model: { string: 'x' } }, capacity: { memory: { value: '1Gi' } } }],
        }),
      );
      await s.get(`${slices}?fieldSelector=spec.driver%3D${s.namespace}`);
      await s.strategic(`${slices}/${s.namespace}`, { spec: { devices: [{ name: 'b' }] } });
      await s.merge(`${slices}/${s.namespace}`, {
        spec: { driver: 'other', nodeName: 'other', pool: { name: 'other' } },
      });
      await s.delete(`${slices}/${s.namespace}`);
      for (const wrong of [
        { ...spec, nodeName: undefined },
        { ...spec, allNodes: true },
        { ...spec, driver: '' },
        { ...spec, pool: { name: '', generation: 1, resourceSliceCount: 0 } },
        { ...spec, devices: [{ name: 'a' }, { name: 'a' }, { name: 'B_' }] },
      ])
        await s.create(slices, object('ResourceSlice', 'wrong', wrong));
    },
  },
];
