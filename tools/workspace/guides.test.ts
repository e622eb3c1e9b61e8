import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { ImageProgram } from '@ordinal/simulator';
import { builtDirectory } from '@ordinal/control-plane';
import { describe, test } from 'vitest';
import { startCluster } from './guides/cluster.ts';
import { launchOperator } from './guides/launch.ts';
import { Reader } from './guides/reader.ts';
import { stepsOf } from './guides/steps.ts';

const root = join(import.meta.dirname, '../..');

/** kubectl, on the PATH or as `npm run cluster -- build` makes it. */
const kubectl = [...(process.env['PATH'] ?? '').split(delimiter), builtDirectory(process.env)]
  .map((folder) => join(folder, 'kubectl'))
  .find(existsSync);

interface Guide {
  readonly page: string;
  /** What the images do that the page names. */
  readonly images: Readonly<Record<string, ImageProgram>>;
  /** Called when what the page shows has been printed. */
  readonly shown?: () => void;
}

const nginx: ImageProgram = { http: ({ url }) => (url.pathname === '/' ? 200 : 404) };

let lag = 120;
const cache: ImageProgram = { http: () => ({ status: 200, body: `replication_lag_seconds ${String(lag)}\n` }) };

/** A member, or the analysis by its Job. */
const store: ImageProgram = {
  run: async ({ command, terminated }) => {
    if (!command.includes('/bin/check-canary'))
      await new Promise((resolve) => terminated.addEventListener('abort', resolve));
    return 0;
  },
};

const backup: ImageProgram = {
  run: ({ env, log }) => {
    log(`s3://backups/carts/${env['ORDINAL_BACKUP_NAME'] ?? ''}`);
    return 0;
  },
};

const versions = (image: string, program: ImageProgram, ...tags: readonly string[]): Guide['images'] =>
  Object.fromEntries(tags.map((tag) => [`${image}:${tag}`, program]));

const guides: readonly Guide[] = [
  { page: 'start/first-upgrade.md', images: versions('nginx', nginx, '1.27', '1.28', '1.29') },
  {
    page: 'guides/gate-on-replication-lag.md',
    images: versions('registry.example.com/cache', cache, '2.1', '2.2'),
    shown: () => (lag = 0),
  },
  { page: 'guides/canary-with-analysis.md', images: versions('my-repo/kvstore', store, '3.5.9', '3.6.0', '3.6.1') },
  { page: 'guides/back-up-before-deletion.md', images: versions('registry.example.com/backup', backup, '1') },
];

/** The page as it is followed here: the operator runs outside of the cluster and reaches pods through the API server alone, and no test bakes for five minutes. */
const inTest = (page: string): string =>
  page
    .replaceAll(' path: /', ' via: Proxy, path: /')
    .replaceAll('"path":"', '"via":"Proxy","path":"')
    .replace('bake: 5m', 'bake: 10s');

const skipped = kubectl === undefined ? ": skipped, no kubectl; 'npm run cluster -- build' makes it" : '';

describe.skipIf(kubectl === undefined)(
  `the commands of a page print what it shows, on a simulated cluster${skipped}`,
  () => {
    test.each(guides)(
      'docs/$page',
      async ({ page, images, shown }) => {
        const folder = mkdtempSync(join(tmpdir(), 'ordinal-guide-'));
        const kubeconfig = join(folder, 'kubeconfig');
        const { close } = await startCluster(kubeconfig, images);
        const operator = launchOperator(kubeconfig);
        try {
          const path = `${dirname(kubectl ?? '')}${delimiter}${process.env['PATH'] ?? ''}`;
          const env = { PATH: path, HOME: folder, KUBECONFIG: kubeconfig };
          const reader = new Reader({ folder, env, patience: 90_000, shown });
          for (const step of stepsOf(inTest(readFileSync(join(root, 'docs', page), 'utf8')))) await reader.follow(step);
        } catch (error) {
          throw new Error(`${String(error)}\nthe operator says:\n${operator.printed().slice(-3_000)}`, {
            cause: error,
          });
        } finally {
          await operator.stop();
          await close();
          rmSync(folder, { recursive: true, force: true });
        }
      },
      600_000,
    );
  },
);
