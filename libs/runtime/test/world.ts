import { createClient } from '@ordinal/client';
import type { Client, KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import { createManager } from '../src/index.ts';
import type { Logger, Manager, ManagerOptions } from '../src/index.ts';
import { ScriptedApi } from './scripted-api.ts';
import { VirtualClock, settled } from './virtual-clock.ts';

/** A resource of the tests, as it is read. */
export interface Widget extends KubernetesObject {
  readonly spec: { readonly size: number; readonly secret?: string };
  readonly status?: { readonly seen?: number };
}
/** A resource of the tests, as it is written. */
export interface WidgetInput extends KubernetesObjectInput {
  readonly spec: { readonly size: number; readonly secret?: string };
}
/** The kind of the resources under test. */
export const widgets: ResourceDescriptor<Widget, WidgetInput> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: { status: true },
};

/** A child of a widget, as it is read. */
export interface Part extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}
/** A child of a widget, as it is written. */
export interface PartInput extends KubernetesObjectInput {
  readonly data?: Readonly<Record<string, string>>;
}
/** The kind of the children. */
export const parts: ResourceDescriptor<Part, PartInput> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
};

/** A widget of this name and size. */
export function widget(name: string, size = 1, extra: Partial<WidgetInput['spec']> = {}): WidgetInput {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'shop' },
    spec: { size, ...extra },
  };
}

/** A scripted API server, a clock and what a manager needs. */
export interface World {
  readonly api: ScriptedApi;
  readonly clock: VirtualClock;
  /** A user's client, beside the manager's. */
  readonly user: Client;
  readonly log: string[];
  manager(options?: Partial<ManagerOptions>): Manager;
  rest(): Promise<void>;
}

/** A world with an empty API server, at time 0. */
export function world(): World {
  const api = new ScriptedApi();
  const clock = new VirtualClock();
  const client = (): Client => createClient({ transport: api, clock, random: () => 0.5, retry: { attempts: 1 } });
  const log: string[] = [];
  const logger: Logger = {
    debug: () => undefined,
    info: (_fields, message) => log.push(`info ${message}`),
    warn: (_fields, message) => log.push(`warn ${message}`),
    error: (_fields, message) => log.push(`error ${message}`),
    child: () => logger,
  };
  return {
    api,
    clock,
    user: client(),
    log,
    manager: (options = {}) =>
      createManager({
        client: client(),
        clock,
        random: () => 0.5,
        name: 'example.com/test',
        identity: 'test-0',
        logger,
        ...options,
      }),
    rest: settled,
  };
}
