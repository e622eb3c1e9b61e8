// Looks at the console in a browser, and writes the pictures of it in docs/images: `node --conditions=ordinal-source tools/console/main.ts [FOLDER]`.
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { recordedHistory } from '../kubectl-ordinal/test/recorded.ts';
import { chromiumOn, openBrowser } from './browser.ts';
import { busyShop, stage } from './stage.ts';

const folder = process.argv[2] ?? join(import.meta.dirname, '../../docs/images');

interface Look {
  readonly browser: Browser;
  readonly url: string;
}

async function look({ browser, url }: Look, draw: (page: Page) => Promise<void>): Promise<void> {
  const viewport = { width: 1360, height: 860 };
  const context = await browser.newContext({ viewport, colorScheme: 'light', reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await draw(page);
  await context.close();
}

const save = (page: Page, file: string): Promise<unknown> => page.screenshot({ path: join(folder, file) });
const go = (page: Page, fragment: string): Promise<unknown> => page.evaluate(`void (location.hash = '${fragment}')`);
const sessions = '#/ClusteredCache/shop/sessions';

/** A cache in an upgrade that waits at a gate, and what becomes of another image. */
async function drawCluster(browser: Browser): Promise<void> {
  const shop = await stage('--write', busyShop);
  await look({ browser, url: shop.console.url }, async (page) => {
    await go(page, sessions);
    await page.getByRole('heading', { name: 'Being replaced' }).waitFor();
    await save(page, 'console.png');
  });
  await look({ browser, url: shop.console.url }, async (page) => {
    await go(page, '#/MonitoredStatefulSet/shop/ledger/what-if');
    const editor = page.getByLabel('The manifest as it would be applied');
    await editor.waitFor();
    await editor.fill((await editor.inputValue()).replace('cache:1', 'cache:2'));
    await page.getByRole('button', { name: 'Play it' }).click();
    await page.locator('.chart').first().waitFor();
    const drawn = page.getByRole('region', { name: 'What would happen' });
    await drawn.screenshot({ path: join(folder, 'console-what-if.png') });
  });
  await shop.end();
}

/** A recorded history at the step at which something was found. */
async function drawHistory(browser: Browser): Promise<void> {
  const { recorded } = await recordedHistory();
  const shown = await stage('--history history.json', undefined, () => Promise.resolve(JSON.stringify(recorded)));
  await look({ browser, url: shown.console.url }, async (page) => {
    await page.getByText('found here').waitFor();
    await go(page, sessions);
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    await save(page, 'console-history.png');
  });
  await shown.end();
}

const chromium = chromiumOn(process.env['PATH'] ?? '');
if (chromium === undefined) throw new Error('there is no Chromium on the PATH: apt-get install chromium');
const browser = await openBrowser(chromium);
await drawCluster(browser);
await drawHistory(browser);
await browser.close();
