// What the operator uses of undici, and no more: the library's entry also loads fetch, WebSocket, caches and mocks, 12 MiB of memory that no call of ours needs.
// The bundle takes this file where the sources say 'undici'. A name that is missing here fails the bundling where it is imported.
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import api from 'undici/lib/api/index.js';
import buildConnector from 'undici/lib/core/connect.js';

Object.assign(Dispatcher.prototype, api);

/** undici's `request`, for calls that name their dispatcher. */
export function request(url, { dispatcher, ...options }) {
  const { origin, pathname, search } = new URL(url);
  return dispatcher.request({ ...options, origin, path: `${pathname}${search}` });
}

export { Agent, Pool, buildConnector };
