import { describe, expect, it } from 'vitest';
import { systemClock } from '@ordinal/client';
import type { ServerWatchEvent } from './request.ts';
import { ApiServer } from './server.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps' };

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

const newServer = (): ApiServer => new ApiServer({ clock: systemClock, random: seeded(1) });

const configMap = (name: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

describe('an API server', () => {
  it('refuses an update with an old resourceVersion', () => {
    const server = newServer();
    const created = server.execute({
      verb: 'create',
      resource: configMaps,
      namespace: 'default',
      body: configMap('a', { k: '1' }),
    });
    expect(created.status).toBe(201);
    const target = { resource: configMaps, namespace: 'default', name: 'a' };
    server.execute({ ...target, verb: 'patch', patchType: 'merge', body: { data: { k: '2' } } });
    const late = server.execute({ ...target, verb: 'update', body: created.body });
    expect(late.body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    });
  });

  it('does not make what has gone anew, where it is applied by its uid', () => {
    const server = newServer();
    const target = { resource: configMaps, namespace: 'default', name: 'a' };
    const options = { fieldManager: 'm', force: true };
    const { metadata, ...rest } = configMap('a', { k: '1' });
    const gone = server.execute({
      ...{ ...target, options },
      verb: 'apply',
      body: { ...rest, metadata: { ...metadata, uid: 'u' } },
    });
    expect(gone.body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid u, and no existing object was found',
    });
    expect(server.execute({ ...target, verb: 'get' }).status).toBe(404);
  });

  it('delivers events in order, those of writes made by a listener after the present one', () => {
    const server = newServer();
    const seen: string[] = [];
    const record =
      (prefix: string) =>
      ({ type, object }: ServerWatchEvent) => {
        const { name } = (object as { metadata: { name: string } }).metadata;
        seen.push(`${prefix} ${type} ${name}`);
      };
    const first = record('first');
    server.watch(
      { resource: configMaps, namespace: 'default' },
      {
        event(event) {
          first(event);
          if (seen.length === 1)
            server.execute({ verb: 'create', resource: configMaps, namespace: 'default', body: configMap('b', {}) });
        },
      },
    );
    server.watch({ resource: configMaps, namespace: 'default' }, { event: record('second') });
    server.execute({ verb: 'create', resource: configMaps, namespace: 'default', body: configMap('a', {}) });
    expect(seen).toEqual(['first ADDED a', 'second ADDED a', 'first ADDED b', 'second ADDED b']);
  });
});
