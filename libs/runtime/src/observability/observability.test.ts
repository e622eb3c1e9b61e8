import { afterEach, describe, expect, it } from 'vitest';
import { Registry } from 'prom-client';
import { awaitChange, controller } from '../index.ts';
import type { Manager } from '../index.ts';
import { refusal } from '../../test/scripted-api.ts';
import { widget, widgets, world } from '../../test/world.ts';
import { VirtualClock } from '../../test/virtual-clock.ts';
import { jsonLogger, observeManager, prometheusMetrics, serveProbes } from './index.ts';
import type { ProbeServer } from './index.ts';

const started: Manager[] = [];
const servers: ProbeServer[] = [];
afterEach(async () => {
  for (const manager of started.splice(0)) await manager.stop();
  for (const server of servers.splice(0)) await server.close();
});

describe('observability', () => {
  it('counts under the names of controller-runtime', async () => {
    const w = world();
    const registry = new Registry();
    await w.user(widgets).namespace('shop').create(widget('a'));
    const manager = w.manager({ metrics: prometheusMetrics(registry) });
    observeManager(registry, manager, w.clock);
    manager.add(
      controller('widgets')
        .for(widgets)
        .reconcile(async () => awaitChange()),
    );
    started.push(manager);
    void manager.start();
    await w.clock.advance(30_000);
    const text = await registry.metrics();
    expect(text).toContain('controller_runtime_reconcile_total{controller="widgets",result="success"} 1');
    expect(text).toContain('workqueue_adds_total{name="widgets"} 1');
    expect(text).toContain('ordinal_cache_objects{kind="widgets.example.com"} 1');
    expect(text).toContain('ordinal_cache_silence_seconds{kind="widgets.example.com"} 30');
  });

  it('has each counter of a controller at 0 from the start, so that the first event is an increase', async () => {
    const w = world();
    const registry = new Registry();
    w.manager({ metrics: prometheusMetrics(registry) }).add(
      controller('widgets')
        .for(widgets)
        .reconcile(async () => awaitChange()),
    );
    const text = await registry.metrics();
    const lines = text.split('\n').filter((line) => line.includes('"widgets"'));
    expect(lines).toEqual([
      'controller_runtime_reconcile_total{controller="widgets",result="success"} 0',
      'controller_runtime_reconcile_total{controller="widgets",result="error"} 0',
      'controller_runtime_reconcile_total{controller="widgets",result="requeue"} 0',
      'controller_runtime_reconcile_total{controller="widgets",result="requeue_after"} 0',
      'controller_runtime_reconcile_errors_total{controller="widgets"} 0',
      'controller_runtime_terminal_reconcile_errors_total{controller="widgets"} 0',
      'controller_runtime_reconcile_timeouts_total{controller="widgets"} 0',
      'workqueue_adds_total{name="widgets"} 0',
      'workqueue_retries_total{name="widgets"} 0',
      'ordinal_hot_loops_total{controller="widgets"} 0',
      'ordinal_held_back_total{controller="widgets"} 0',
    ]);
  });

  it('is ready only while every watch is, and says which is not', async () => {
    const w = world();
    const manager = w.manager().add(
      controller('widgets')
        .for(widgets)
        .reconcile(async () => awaitChange()),
    );
    const server = await serveProbes({ port: 0, host: '127.0.0.1', manager });
    servers.push(server);
    const get = async (path: string): Promise<Response> => await fetch(`http://127.0.0.1:${server.port}${path}`);
    w.api.intercept = () => refusal(403, 'Forbidden');
    started.push(manager);
    void manager.start();
    await w.clock.advance(1000);
    const refused = await get('/readyz');
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      problems: [{ kind: 'widgets.example.com', verb: 'list', code: 'Forbidden' }],
    });
    expect((await get('/healthz')).status).toBe(200);
    w.api.intercept = () => undefined;
    await w.clock.advance(60_000);
    expect((await get('/readyz')).status).toBe(200);
  });

  it('follows one id from the change to the write', async () => {
    const w = world();
    const lines: Record<string, unknown>[] = [];
    const logger = jsonLogger({
      clock: w.clock,
      level: 'debug',
      destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    });
    const manager = w.manager({ logger }).add(
      controller('widgets')
        .for(widgets)
        .reconcile(async (key, { client }) => {
          await client(widgets)
            .namespace(key.namespace)
            .status.patch(key.name, { type: 'merge', body: { status: { seen: 1 } } });
          return awaitChange();
        }),
    );
    started.push(manager);
    void manager.start();
    await w.clock.advance(10);
    await w.user(widgets).namespace('shop').create(widget('a'));
    await w.clock.advance(10);
    const ids = lines
      .filter(({ msg }) => msg === 'woken' || msg === 'wrote')
      .map(({ msg, reconcile }) => [msg, reconcile]);
    expect(ids).toEqual([
      ['woken', 'widgets-1'],
      ['wrote', 'widgets-1'],
    ]);
  });

  it('dates log lines by the clock that it was given', () => {
    const lines: string[] = [];
    jsonLogger({ clock: new VirtualClock(), destination: { write: (line) => void lines.push(line) } }).info(
      { a: 1 },
      'hello',
    );
    expect(JSON.parse(lines[0] ?? '')).toEqual({ level: 'info', time: '2026-01-01T00:00:00.000Z', a: 1, msg: 'hello' });
  });
});
