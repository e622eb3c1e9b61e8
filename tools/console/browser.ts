import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

/** The programs that are Chromium, by their names on Debian and elsewhere. */
const names = ['chromium', 'chromium-browser', 'google-chrome'];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where a Chromium is on this `PATH`; undefined where there is none. */
export function chromiumOn(path: string): string | undefined {
  return path
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isProgram);
}

/** Starts a Chromium. Its own sandbox can't be had by root; what it opens is on the loopback address. */
export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--font-render-hinting=none'] });
}
