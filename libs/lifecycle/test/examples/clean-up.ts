import type { Instant } from '@ordinal/client';
import { endHold, lifeOf, nothing, takeHold } from '@ordinal/lifecycle';
import type { Decision } from '@ordinal/lifecycle';
import type { Website } from './website.ts';
import { websites } from './website.ts';

/** A call of the object store. */
export interface DeleteFiles {
  readonly deleteFiles: readonly string[];
}

const because = 'its files are deleted before it goes';
const hold = { descriptor: websites, finalizer: 'example.com/files', because };

/** `files`: what the object store shows of this Website now. */
export function decide(site: Website, files: readonly string[], now: Instant): Decision<DeleteFiles> {
  switch (lifeOf(site, hold)) {
    case 'new':
      return { actions: takeHold(site, hold) }; // Before the first file is uploaded.
    case 'living':
      return nothing; // Here stands what the Website needs.
    case 'leaving': {
      if (files.length === 0) return { actions: [endHold(site, hold, 'it has no files any more')] };
      const call = { deleteFiles: files };
      return { actions: [{ kind: 'call', call, because: 'the Website is deleted' }], lookAgainAt: now + 5000 };
    }
    case 'released':
      return nothing;
  }
}
