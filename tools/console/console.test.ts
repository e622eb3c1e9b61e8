import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { events } from '@ordinal/client';
import type { KubernetesObject } from '@ordinal/client';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { cacheNow, caches, until } from '../kubectl-ordinal/test/resources.ts';
import { recordedHistory } from '../kubectl-ordinal/test/recorded.ts';
import { chromiumOn, openBrowser } from './browser.ts';
import type { Stage } from './stage.ts';
import { busyShop, stage } from './stage.ts';

const chromium = chromiumOn(process.env['PATH'] ?? '');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** What a page of another origin may try that has even got the token, as its script: what became of each request that it wants to read. */
const strangersTries = (origin: string, token: string): string => `(async () => {
  const [target, secret] = ${JSON.stringify([origin, token])};
  const body = JSON.stringify({ key: 'ClusteredCache/shop/sessions', verb: 'abort', does: '' });
  const authorization = 'Bearer ' + secret;
  const tries = [
    ['/api/live', {}],
    ['/api/live', { headers: { authorization } }],
    ['/api/act', { method: 'POST', body, headers: { authorization, 'content-type': 'application/json' } }],
    ['/console.js', {}],
  ];
  const read = await Promise.all(
    tries.map(([path, init]) => fetch(target + path, init).then(({ status }) => status, () => 'refused')),
  );
  // What needs no leave is sent, and is not carried out.
  await fetch(target + '/api/act', { method: 'POST', body, mode: 'no-cors' }).catch(() => undefined);
  const frame = document.createElement('iframe');
  frame.src = target + '/';
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  document.body.append(frame);
  await loaded;
  return read;
})()`;

/** A stream that shows so many resources, and ends. */
function manyRows(count: number): string {
  const rows = Array.from({ length: count }, (_, number) => {
    const name = `set-${number}`;
    const kind = 'MonitoredStatefulSet';
    return { key: `${kind}/shop/${name}`, kind, namespace: 'shop', name, tone: 'good', phase: 'Running' };
  });
  const hello = { of: 'here', version: '0', canWrite: false };
  const said = { hello, rows: { now: 0, isAll: true, rows, gone: [], unread: [] } };
  return Object.entries(said)
    .map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    .join('');
}

/** Takes down how many lines the list has after each change of it. Runs in the browser, before the page does. */
const countLines = `
  globalThis.counted = [];
  new MutationObserver(() => {
    const lines = document.querySelectorAll('nav.list li').length;
    if (lines > 0 && lines !== counted.at(-1)) counted.push(lines);
  }).observe(document, { childList: true, subtree: true });`;

/** An event that anyone may write who may write events. */
const eventAbout = (object: KubernetesObject | undefined, note: string) => {
  const { apiVersion = '', kind = '', metadata } = object ?? {};
  return {
    ...({ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'evil' } } as const),
    ...{ type: 'Warning', reason: 'Evil', action: 'Evil', note, eventTime: '2026-01-01T00:40:00.000000Z' },
    ...{ reportingController: 'evil.example/x', reportingInstance: 'x' },
    regarding: { apiVersion, kind, namespace: 'shop', name: metadata?.name ?? '', uid: metadata?.uid ?? '' },
  };
};

const sessions = '#/ClusteredCache/shop/sessions';

// CI installs it (tools/workspace/test-programs.ts).
const title = chromium === undefined ? 'the page; there is no Chromium on the PATH to look at it with' : 'the page';

describe.skipIf(chromium === undefined)(title, () => {
  let browser: Browser;
  let shop: Stage;

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '');
    shop = await stage('--write', busyShop);
  });

  afterAll(async () => {
    await browser.close();
    await shop.end();
  });

  /** A page of its own, which has opened the console. What it says of errors has to be expected. */
  async function opened(
    options: Parameters<Browser['newContext']>[0] = {},
    url = shop.console.url,
    heading = '3 resources',
  ): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width: 1360, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const said: string[] = [];
    page.on('pageerror', ({ message }) => said.push(message));
    page.on('console', (message) => (message.type() === 'error' ? said.push(message.text()) : undefined));
    onTestFinished(async () => {
      await context.close();
      expect(said).toEqual([]);
    });
    await page.goto(url);
    await page.getByRole('heading', { name: heading }).first().waitFor();
    return page;
  }

  const go = (page: Page, fragment: string) => page.evaluate(`void (location.hash = ${JSON.stringify(fragment)})`);

  async function violations(page: Page): Promise<readonly string[]> {
    await page.evaluate(axe);
    const { violations: found } = await page.evaluate<AxeResults>('axe.run()');
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }

  test.each(['light', 'dark'] as const)('axe finds nothing wrong, in %s', async (colorScheme) => {
    const page = await opened({ colorScheme });
    expect(await violations(page)).toEqual([]);
    await go(page, sessions);
    await page.getByRole('heading', { name: 'Being replaced' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await go(page, `${sessions}/plan`);
    await page.locator('.steps').waitFor();
    expect(await violations(page)).toEqual([]);
    await go(page, `${sessions}/what-if`);
    await page.getByRole('button', { name: 'Play it' }).click();
    await page.locator('.verdict').waitFor();
    expect(await violations(page)).toEqual([]);
    await go(page, '#/KVStoreCluster/shop/carts');
    await page.getByRole('button', { name: 'retry…' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('by keyboard alone: to a resource, through its tabs, to a verb, and back', async () => {
    const page = await opened();
    const focused = () => page.evaluate<string>(`document.activeElement.textContent.trim().replace(/\\s+/g, ' ')`);
    const tabTo = async (text: RegExp): Promise<void> => {
      for (let presses = 0; presses < 60; presses += 1) {
        await page.keyboard.press('Tab');
        if (text.test(await focused())) return;
      }
      throw new Error(`the Tab key does not lead to ${text.source}, but to ${await focused()}`);
    };
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip the list');
    await tabTo(/carts/);
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toContain('sessions');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Being replaced' }).waitFor();
    await expect.poll(focused).toBe('sessions');
    await tabTo(/^abort…$/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await expect.poll(() => page.evaluate(`document.activeElement.closest('dialog') !== null`)).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused()).toBe('abort…');
    expect(cacheNow(shop.world.cluster)?.metadata.annotations?.['ordinal.dev/abort']).toBeUndefined();
  });

  test('the token leaves the address bar, and survives a reload; without it nothing is shown', async () => {
    const page = await opened();
    expect(page.url()).toBe(`${shop.console.origin}/#/`);
    await page.reload();
    await page.getByRole('heading', { name: '3 resources' }).waitFor();
    const other = await browser.newPage();
    onTestFinished(() => other.close());
    await other.goto(shop.console.origin);
    await other.getByRole('heading', { name: 'This address opens nothing' }).waitFor();
    expect(await other.content()).not.toContain('sessions');
  });

  test('a page of another origin reads nothing, writes nothing, and shows nothing of it', async () => {
    const server = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>evil</h1>'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const page = await browser.newPage();
    onTestFinished(async () => {
      await page.close();
      server.close();
    });
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const before = shop.world.requests.length;
    const { origin, token } = shop.console;
    const results = await page.evaluate(strangersTries(origin, token));
    expect(results).toEqual(['refused', 'refused', 'refused', 'refused']);
    expect(page.frames().map((frame) => frame.url())).not.toContain(`${origin}/`);
    expect(shop.world.requests.slice(before).filter((line) => !line.startsWith('GET '))).toEqual([]);
  });

  test('an upgrade is seen live: a gate is overridden on the page, and members go from lane to lane', async () => {
    const { cluster } = shop.world;
    const page = await opened();
    await go(page, sessions);
    const inLane = (lane: string) =>
      page
        .getByRole('region', { name: new RegExp(`^${lane}`) })
        .locator('[data-member]')
        .allTextContents();
    await expect.poll(async () => (await inLane('Runs redis:8.0')).length).toBe(2);
    await page.getByRole('button', { name: 'override…' }).click();
    await page.getByRole('dialog').getByText('whatever they say').waitFor();
    await page.getByRole('button', { name: 'Do it' }).click();
    await page.getByText('Done: this opens the gates of sessions-2').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await until(cluster, 'it goes', () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingReady');
    await expect.poll(async () => (await inLane('Being replaced')).join()).toContain('sessions-2');
    await until(cluster, 'it is over', () => cacheNow(cluster)?.status?.upgrade === undefined);
    await page.getByText('Nothing is waited for').waitFor();
    await page.getByRole('region', { name: 'Members' }).first().waitFor();
  });

  test('a recorded history is gone through by keyboard, and axe finds nothing wrong', async () => {
    const { recorded } = await recordedHistory();
    const shown = await stage('--history history.json', undefined, () => Promise.resolve(JSON.stringify(recorded)));
    onTestFinished(shown.end);
    const page = await opened({ colorScheme: 'dark' }, shown.console.url, '1 resource');
    await go(page, sessions);
    await page.getByText('found here').waitFor();
    const members = async () =>
      (await page.locator('[data-member="sessions-2"]').textContent())?.replaceAll(/\s+/g, ' ');
    await expect.poll(members).toContain('not ready');
    await expect.poll(() => page.getByText('not seen').count()).toBeGreaterThan(0);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('slider').focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(members).toContain('not there');
    await page.keyboard.press('End');
    await expect.poll(members).toContain('sessions-2 ● ready');
    await expect.poll(() => page.getByText('not seen').count()).toBe(0);
    await page.getByRole('button', { name: 'Fault before' }).click();
    await expect.poll(() => page.locator('.trace .current').textContent()).toContain('crash');
  });

  test('all that the page loads is less than 300 KB', async () => {
    const page = await opened();
    const bytes = await page.evaluate<number>(
      `[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]
        .reduce((sum, { decodedBodySize = 0 }) => sum + decodedBodySize, 0)`,
    );
    expect(bytes).toBeGreaterThan(40_000);
    expect(bytes).toBeLessThan(300_000);
  });

  test('of hundreds of resources those in view are drawn first, and then all', async () => {
    const context = await browser.newContext({ viewport: { width: 1360, height: 900 } });
    onTestFinished(() => context.close());
    await context.route('**/api/live', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: manyRows(300) }),
    );
    const page = await context.newPage();
    await page.addInitScript(countLines);
    await page.goto(shop.console.url);
    const lines = () => page.locator('nav.list li').count();
    await expect.poll(lines).toBe(300);
    const [first = 0, ...further] = await page.evaluate<number[]>('counted');
    expect(first).toBeGreaterThan(15);
    expect(first).toBeLessThan(60);
    expect(further.length).toBeGreaterThan(2);
    // By the keys the last is reached as before.
    await page.getByRole('link', { name: /set-299/ }).focus();
    await page.keyboard.press('ArrowUp');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('set-298');
  });

  test('what a cluster says is text, wherever it stands', async () => {
    const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const { cluster } = shop.world;
    const before = cacheNow(cluster);
    // The operator does not run meanwhile.
    const annotations = { 'ordinal.dev/backup': evil };
    await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { annotations } } });
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const conditions = [{ type: 'Ready', status: 'False', reason: 'Evil', message: evil, lastTransitionTime }];
    const times = { startedAt: lastTransitionTime, since: lastTransitionTime };
    const at = { pod: 'sessions-0', revision: 'none', updated: 0, step: 'AwaitingGate', ...times };
    const upgrade = { ...at, blockedBy: `gate lag: ${evil}`, release: evil };
    await caches(cluster).status.patch('sessions', { type: 'merge', body: { status: { conditions, upgrade } } });
    await cluster.client()(events).namespace('shop').create(eventAbout(before, evil));
    const page = await opened();
    await go(page, sessions);
    for (const place of ['.timeline', '.why', '.gate .answer', 'table', '.command'])
      await expect.poll(() => page.locator(place).first().textContent()).toContain(evil);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(await page.title()).toBe('Ordinal console');
  });
});
