import type { Identity } from './request.ts';

/** The cluster's own administrator: who asks where no user is named. */
export const administrator: Identity = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
