/**
 * When the console's page shows its list in a real browser, on a simulated cluster with many resources, and how many bytes it loads.
 *
 *   node --conditions=ordinal-source bench/plugin/console.ts [--resources 500] [--times 5]
 *
 * It needs a Chromium on the PATH. Exits 1 where the middle of the times until the lines in view are drawn is a second or more, or where
 * the page loads 300 KB or more.
 */
import { loadavg } from 'node:os';
import type { Browser } from 'playwright-core';
import { chromiumOn, openBrowser } from '../../tools/console/browser.ts';
import { stage } from '../../tools/console/stage.ts';
import { readFlags } from '../../tools/flags/flags.ts';
import { manyResources } from './many.ts';

const { values } = readFlags('npm run bench:console -- [--resources 500] [--times 5]', {
  options: {
    resources: { type: 'string', default: '500' },
    times: { type: 'string', default: '5' },
  },
});

/** From the start of the navigation, in milliseconds. */
interface Times {
  /** The first thing that is drawn. */
  readonly painted: number;
  /** The first frame after the lines in view are there. */
  readonly inView: number;
  /** The first frame after every line of the list is there. */
  readonly listed: number;
  /** All that was loaded until then but the answers of the server, not compressed. */
  readonly bytes: number;
}

/** Has the page take down when its list is filled and when it is whole, and was drawn. Runs in the browser, before the page does. */
const watchList = (lines: number): string => `
  const drawn = (isDrawn) => new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      if (!isDrawn()) return;
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
    }).observe(document, { childList: true, subtree: true });
  });
  const lines = () => document.querySelectorAll('nav.list li').length;
  const isFilled = () => {
    const list = document.querySelector('nav.list ul');
    return lines() === ${lines} || (list && list.scrollHeight > list.clientHeight);
  };
  globalThis.listed = Promise.all([drawn(isFilled), drawn(() => lines() === ${lines})]);`;

const readTimes = `globalThis.listed.then(([inView, listed]) => ({
  inView,
  listed,
  bytes: [...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]
    .filter(({ initiatorType }) => initiatorType !== 'fetch')
    .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0),
  painted: performance.getEntriesByName('first-contentful-paint')[0].startTime,
}))`;

/** Opens the page in a window of its own, with an empty cache. */
async function opened(browser: Browser, url: string, lines: number): Promise<Times> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } });
  const page = await context.newPage();
  await page.addInitScript(watchList(lines));
  await page.goto(url);
  const times = await page.evaluate<Times>(readTimes);
  await context.close();
  return times;
}

const middle = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? NaN;

const chromium = chromiumOn(process.env['PATH'] ?? '');
if (chromium === undefined) throw new Error('there is no Chromium on the PATH: apt-get install chromium');
const resources = Number(values.resources);
const shown = await stage('', (world) => manyResources(world, resources));
const browser = await openBrowser(chromium);
const times: Times[] = [];
for (let time = 0; time < Number(values.times); time += 1)
  times.push(await opened(browser, shown.console.url, resources));
await browser.close();
await shown.end();

const row = (what: string, of: (each: Times) => number): void => {
  const all = times.map(of);
  const shownMs = [Math.min(...all), middle(all), Math.max(...all)].map((ms) => `${Math.round(ms)} ms`);
  console.log(`| ${what} | ${shownMs.join(' | ')} |`);
};
const bytes = middle(times.map((each) => each.bytes));
console.log(`load ${loadavg()[0]?.toFixed(1) ?? ''}; the page loads ${(bytes / 1_000).toFixed(0)} KB`);
console.log(`| ${resources} resources | least | middle | most |\n|---|---:|---:|---:|`);
row('the first thing is drawn', ({ painted }) => painted);
row('the list is drawn as far as it is in view', ({ inView }) => inView);
row('every line of the list is drawn', ({ listed }) => listed);
if (middle(times.map(({ inView }) => inView)) >= 1_000 || bytes >= 300_000) process.exitCode = 1;
