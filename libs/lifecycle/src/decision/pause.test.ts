import { describe, expect, test } from 'vitest';
import { pausedBy } from './index.ts';

const isPaused = pausedBy('example.com/paused');

const object = (more: object) => ({
  metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', ...more },
});
const annotations = { 'example.com/paused': 'true' };

describe('a pause', () => {
  test('is asked for by the annotation', () => {
    expect(isPaused(object({ annotations }))).toBe(true);
    expect(isPaused(object({ annotations: { 'example.com/paused': 'false' } }))).toBe(false);
    expect(isPaused(object({}))).toBe(false);
  });

  test('never stops a deletion', () => {
    expect(isPaused(object({ annotations, deletionTimestamp: '2026-01-01T00:00:00Z' }))).toBe(false);
  });
});
