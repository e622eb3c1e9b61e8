import type { Page } from 'playwright-core';
import { chromiumOn, openBrowser } from '../../console/browser.ts';
import { check, until } from '../kubernetes.ts';
import { startPlugin } from '../plugin.ts';
import { redisImages } from '../redis.ts';
import { inNamespace, untilReady, type World } from '../world.ts';

const namespace = 'e2e-console';
const at = { kind: 'clusteredcache', name: 'sessions', namespace };
const gates = [{ name: 'drained', target: 'Self', exec: { command: ['false'] } }];
const redis = { name: 'cache', command: ['redis-server', '--save', '', '--protected-mode', 'no'] };

const cache = (image: string): object => ({
  apiVersion: 'cache.my.domain/v1',
  kind: 'ClusteredCache',
  metadata: { name: at.name, namespace },
  spec: {
    ...{ replicas: 1, image, upgrade: { gates } },
    podTemplate: { spec: { terminationGracePeriodSeconds: 2, containers: [redis] } },
  },
});

/** The console in a real browser, at real Redis: an upgrade is seen live, the gate that holds it is overridden on the page, and the page says what the API server has. */
export async function consoleScenario(world: World): Promise<void> {
  const program = chromiumOn(process.env['PATH'] ?? '');
  if (program === undefined) return world.report.skip('the console in a browser', 'there is no Chromium on the PATH');
  await world.report.scenario('The console in a browser', () =>
    inNamespace(world, namespace, async () => {
      await world.report.step('a cache of Redis', async () => {
        await world.kubernetes.apply(cache(redisImages.before));
        await untilReady(world, at, 120);
      });
      const [console, browser] = await Promise.all([
        startPlugin(world.kubernetes, ['console', '-n', namespace, '--write']),
        openBrowser(program),
      ]);
      try {
        const page = await browser.newPage();
        page.setDefaultTimeout(60_000);
        const said: string[] = [];
        page.on('pageerror', ({ message }) => said.push(message));
        page.on('console', (message) => (message.type() === 'error' ? said.push(message.text()) : undefined));
        await lookedAt(world, page, console.firstLine);
        check(said.length === 0, `the page says: ${said.join('; ')}`);
      } finally {
        await browser.close();
        await console.stop();
      }
    }),
  );
}

async function lookedAt({ report, kubernetes }: World, page: Page, url: string): Promise<void> {
  const go = (view: string) =>
    page.evaluate(`void (location.hash = ${JSON.stringify(`#/ClusteredCache/${namespace}/${at.name}${view}`)})`);
  await report.step('the list has the cache, and its page the member', async () => {
    await page.goto(url);
    await page.getByRole('heading', { name: '1 resource' }).waitFor();
    await go('');
    await page.getByText('Nothing is waited for').waitFor();
    await page.locator('[data-member="sessions-0"]').first().waitFor();
  });
  await report.step('an upgrade is seen live, with the gate that holds it', async () => {
    await kubernetes.apply(cache(redisImages.after));
    await page.getByRole('heading', { name: 'Being replaced' }).waitFor();
    await page.getByText('gate drained').first().waitFor();
  });
  await report.step('the plan and what-if of it', async () => {
    await go('/plan');
    await page.locator('.end').first().waitFor();
    await go('/what-if');
    await page.getByRole('button', { name: 'Play it' }).click();
    const verdict = (await page.locator('.verdict').textContent())?.replace(/\s+/g, ' ').trim() ?? '';
    await go('');
    return verdict;
  });
  await report.step('the gate is overridden on the page, and the member is replaced', async () => {
    await page.getByRole('button', { name: 'override…' }).click();
    await page.getByRole('button', { name: 'Do it' }).click();
    await page.getByText('Done: this opens the gates of sessions-0').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Nothing is waited for').waitFor();
    const version = await until('the cache runs the new image', 60, async () => {
      const { status } = await kubernetes.get(at.kind, at.name, namespace);
      return status?.currentVersion === redisImages.after && String(status.currentVersion);
    });
    const shown = await page.locator('[data-member="sessions-0"]').first().textContent();
    check(shown?.includes('8') === true, `the page shows ${shown ?? 'nothing'} of sessions-0`);
    return version;
  });
}
