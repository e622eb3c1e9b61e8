import { describe, expect, it } from 'vitest';
import { systemClock } from '@ordinal/client';
import type { ApiReply } from '../request.ts';
import { ApiServer } from '../server.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps' };

function world() {
  let state = 1;
  const random = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
  const server = new ApiServer({ clock: systemClock, random });
  const apply = (manager: string, data: Record<string, string>, force = false): ApiReply =>
    server.execute({
      verb: 'apply',
      resource: configMaps,
      namespace: 'default',
      name: 'a',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data },
      options: { fieldManager: manager, force },
    });
  return { server, apply };
}

describe('server-side apply', () => {
  it('removes what its manager no longer applies, and nothing of others', () => {
    const { apply } = world();
    apply('first', { one: '1', shared: 's' });
    apply('second', { two: '2', shared: 's' });
    expect(apply('first', {}).body['data']).toEqual({ two: '2', shared: 's' });
  });

  it('names each field that another manager owns', () => {
    const { apply } = world();
    apply('first', { one: '1', two: '2' });
    expect(apply('second', { one: 'x', two: 'y' }).body).toMatchObject({
      code: 409,
      message: 'Apply failed with 2 conflicts: conflicts with "first":\n- .data.one\n- .data.two',
    });
  });

  it('takes fields over by force', () => {
    const { apply } = world();
    apply('first', { one: '1' });
    apply('second', { one: 'x' }, true);
    expect(apply('first', { one: '1' }).status).toBe(409);
  });

  it('writes nothing where nothing changes', () => {
    const { server, apply } = world();
    apply('first', { one: '1' });
    const { revision } = server.store;
    apply('first', { one: '1' });
    expect(server.store.revision).toBe(revision);
  });
});
