import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkCommitMessage } from './commit-message/check.ts';

const root = join(import.meta.dirname, '../..');
const good = 'Rollout: the gate is asked once\n\nIt was asked twice for each pod.\n';

describe('a commit message', () => {
  test.each([good, `${good}# a comment of git\n`, "Merge branch 'x'\n", 'fixup! Rollout: the gate\n'])(
    'is in order: %j',
    (message) => {
      expect(checkCommitMessage(message)).toEqual([]);
    },
  );

  test.each([
    ['the gate is asked once\n\nWhy.\n', 'The subject must be "Scope: what changes".'],
    [`Rollout: ${'x'.repeat(120)}\n\nWhy.\n`, 'The subject must have at most 120 characters.'],
    ['Rollout: the gate\nWhy.\n\nMore.\n', 'The line after the subject must be empty.'],
    ['Rollout: the gate\n\n# Why.\n', 'The body must say why the change is made.'],
  ])('is refused: %j', (message, error) => {
    expect(checkCommitMessage(message)).toEqual([error]);
  });

  test.each([
    [good, 0],
    ['wip\n', 1],
  ])('is checked by the hook: %j', (message, status) => {
    const folder = mkdtempSync(join(tmpdir(), 'commit-message-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'message'), message);
    expect(spawnSync('sh', ['.githooks/commit-msg', join(folder, 'message')], { cwd: root }).status).toBe(status);
  });
});
